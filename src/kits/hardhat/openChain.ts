/** Creates the chain of a connection. */

import { type Clock, systemClock } from '../../base/clock.ts'
import { createManualClock } from '../../base/manualClock.ts'
import type { ListedAccount } from '../../base/options/accountOptions.ts'
import type { ChainOptions } from '../../base/options/options.ts'
import type { Hex } from '../../base/types.ts'
import { createChain } from '../../chain/chain.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { privateKeysOf } from '../../core/accounts/accounts.ts'
import type { NetworkAccounts, PresealNetworkConfig, ResolvedNetwork, Sensitive } from './networkConfig.ts'

/**
 * Creates a chain with the options of a network.
 *
 * @param artifacts - the folder of the project's artifacts, for stack traces.
 * @param isCovered - whether contracts are instrumented: their size has no limit, as on Hardhat's own network.
 * @throws InvalidOptionError, and whatever else `createChain` throws
 */
export async function openChain(
  network: ResolvedNetwork,
  artifacts: string,
  isCovered: boolean,
): Promise<PresealChain> {
  const { options, alsoAuto, ...time } = network.preseal!
  const { fork } = options
  const chain = await createChain({
    stackTraces: artifacts,
    ...options,
    ...(isCovered && { allowUnlimitedContractSize: true }),
    ...(fork && { fork: fork.offline ? fork : { ...fork, url: await network.forking!.url.get() } }),
    accounts: await readAccounts(network.accounts),
    clock: createClock(time),
  })
  if (!alsoAuto) return chain
  try {
    await chain.standard.request({ method: 'evm_setAutomine', params: [true] })
    return chain
  } catch (error) {
    await chain.close()
    throw error
  }
}

function createClock({ clock, startTime }: Pick<PresealNetworkConfig, 'clock' | 'startTime'>): Clock {
  if (clock === 'manual') return createManualClock(startTime)
  if (startTime === undefined) return systemClock
  const offset = startTime - systemClock.now()
  return { ...systemClock, now: () => systemClock.now() + offset }
}

/** The path of the accounts that a chain derives itself. */
const DEFAULT_PATH = /^m\/44'\/60'\/0'\/0\/?$/

async function readAccounts(accounts: NetworkAccounts): Promise<ChainOptions['accounts']> {
  if ('map' in accounts) {
    return Promise.all(
      accounts.map(async ({ privateKey, balance }) => ({ privateKey: await readKey(privateKey), balance })),
    )
  }
  const { accountsBalance: balance, count, initialIndex, path } = accounts
  const [mnemonic, passphrase] = await Promise.all([accounts.mnemonic.get(), accounts.passphrase.get()])
  const words = mnemonic.trim()
  if (passphrase === '' && initialIndex === 0 && DEFAULT_PATH.test(path)) {
    return { mnemonic: words, count, balance }
  }
  const at = { path: path.replace(/\/$/, ''), first: initialIndex, passphrase }
  const derived: ListedAccount[] = []
  for await (const privateKey of privateKeysOf(words, count, at)) derived.push({ privateKey, balance })
  return derived
}

async function readKey(key: Sensitive): Promise<Hex> {
  const text = await key.get()
  return (/^0x/i.test(text) ? text : `0x${text}`) as Hex
}
