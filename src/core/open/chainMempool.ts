/** The mempool of a chain. */
import type { ResolvedOptions } from '../../base/options/options.ts'
import { isDelegation } from '../../ethereum/evm/validate.ts'
import { readCode } from '../../ethereum/state/account.ts'
import { Mempool } from '../mempool/mempool.ts'
import type { Tip } from '../sequencer/tip.ts'

/** By EIP-1559 a base fee never falls below this. */
const LOWEST_BASE_FEE = 7n

/**
 * A mempool that reads the preconf tip at the moment of use.
 *
 * @param lowestFeeCap - see `ChainParts.lowestFeeCap`.
 * @param entries - see the mempool's constructor.
 */
export function createMempool(
  tip: () => Tip,
  options: ResolvedOptions,
  lowestFeeCap: bigint | undefined,
  entries: ConstructorParameters<typeof Mempool>[2],
): Mempool {
  const state = () => tip().preconf.state
  return new Mempool(
    {
      nonceOf: (address) => state().account(address)?.nonce ?? 0n,
      balanceOf: (address) => state().account(address)?.balance ?? 0n,
      isContract(address) {
        const code = readCode(state(), address)
        return code.length > 0 && !isDelegation(code)
      },
      nextBaseFee: () => tip().preconf.env.baseFee,
      nextBlobBaseFee: () => tip().preconf.env.blobBaseFee,
      rules() {
        const { env } = tip().preconf
        const { rules, gasLimit } = env
        return {
          chainId: rules.chainId,
          fork: rules.fork,
          maxInitCodeSize: rules.maxInitCodeSize,
          maxTransactionGas: rules.maxTransactionGas,
          blobs: options.blobs,
          gasLimit,
          maxBlobGas: rules.blobs.maxGas,
          minFeeCap: tip().settings.minGasPrice ?? 0n,
          lowestFeeCap: lowestFeeCap ?? LOWEST_BASE_FEE,
        }
      },
    },
    options.mempool,
    entries,
  )
}
