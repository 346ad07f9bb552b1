/** Predeploys on a fork: written to its first block, unless the forked chain has them. */
import { createPublicClient, custom, multicall3Abi, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import type { PresealChain } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { forkOf } from './remoteChain.ts'

const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11'
const ENTRYPOINT = '0x0000000071727de22e5e9d8baf0edac6f37da032'

const codeOf = ({ standard }: Pick<PresealChain, 'standard'>, address: `0x${string}`) =>
  standard.request({ method: 'eth_getCode', params: [address] })

describe('predeploys of a fork', () => {
  it('are none unless they are asked for', async () => {
    const chain = await forkOf((await startChain({ predeploys: [] })).standard)
    expect(await codeOf(chain, MULTICALL3)).toBe('0x')
  })

  it('are used beside the contracts of the forked chain', async () => {
    const origin = await startChain({ predeploys: ['multicall3'] })
    const chain = await forkOf(origin.standard, { predeploys: ['multicall3', 'entrypoint'] })
    expect(await codeOf(chain, MULTICALL3)).toBe(await codeOf(origin, MULTICALL3))
    const client = createPublicClient({ transport: custom(chain.standard) })
    const [account] = chain.accounts
    const results = await client.multicall({
      multicallAddress: MULTICALL3,
      allowFailure: false,
      contracts: [
        { address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [account!.address] },
        {
          address: ENTRYPOINT,
          abi: parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256)']),
          functionName: 'getNonce',
          args: [account!.address, 0n],
        },
      ],
    })
    expect(results).toEqual([10_000n * 10n ** 18n, 0n])
  })

  it('are refused where the forked chain has other code', async () => {
    const origin = await startChain()
    await origin.standard.request({ method: 'anvil_setCode', params: [MULTICALL3, '0x00'] })
    await origin.seal()
    await expect(forkOf(origin.standard, { predeploys: ['multicall3'] })).rejects.toThrow(
      new InvalidOptionError(
        'predeploys',
        `contracts whose addresses have no other code on the forked chain: multicall3 is at ${MULTICALL3}`,
      ),
    )
  })
})
