/** viem on one view of a chain, and the parts of its errors. */
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { expect } from 'vitest'
import type { ChainOptions } from '../../src/index.ts'
import { startChain, type TestChain } from '../harness.ts'
import { wiretap } from './wiretap.ts'

type ViewName = 'standard' | 'preconf'

/** viem on one view of a chain, and the step that makes sent transactions visible there. */
export async function start(view: ViewName, chainOptions: ChainOptions = {}) {
  const chain = await startChain(chainOptions)
  const tap = wiretap(chain[view])
  const options = { chain: foundry, transport: custom(tap), pollingInterval: 10, cacheTime: 0 } as const
  const account = accountOf(chain, 0)
  return {
    chain,
    tap,
    account,
    client: createPublicClient(options),
    wallet: createWalletClient({ ...options, account }),
    show: async () => void (view === 'preconf' ? await chain.tick() : await chain.seal()),
    /** Seals what was shown, if it is not sealed yet. */
    ensureSealed: async () => void (view === 'preconf' && (await chain.seal())),
    /** The tag at which `show` makes transactions visible. */
    blockTag: view === 'preconf' ? ('pending' as const) : ('latest' as const),
  }
}

/** What {@link start} returns. */
export type Setup = Awaited<ReturnType<typeof start>>

/** The dev account with this index, as a local account of viem. */
export function accountOf(chain: TestChain, index: number) {
  return privateKeyToAccount(chain.accounts[index]!.privateKey)
}

/** Deploys and shows a contract. */
export async function deploy(
  { client, wallet, show }: Setup,
  contract: { readonly abi: readonly unknown[]; readonly bytecode: `0x${string}` },
) {
  const hash = await wallet.deployContract({ abi: contract.abi, bytecode: contract.bytecode })
  await show()
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  return contractAddress!
}

/** The error that viem threw. */
export async function failure(promise: Promise<unknown>): Promise<BaseError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BaseError)
  return error as BaseError
}

/** The revert that viem decoded. Throws the error itself if there is none. */
export function revertOf(error: BaseError) {
  const cause = error.walk((at) => at instanceof ContractFunctionRevertedError)
  if (!(cause instanceof ContractFunctionRevertedError)) throw error
  const { reason, data, raw } = cause
  return { reason, name: data?.errorName, args: data?.args, raw }
}
