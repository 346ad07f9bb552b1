/** Creates the chain of a connection. */
import { createChain } from '../chain/chain.ts'
import type { PresealChain } from '../chain/handle.ts'
import type { ChainOptions } from '../config/options.ts'
import { bytesToHex } from '../primitives/bytes.ts'
import { type Clock, systemClock } from '../primitives/clock.ts'
import { createManualClock } from '../primitives/manualClock.ts'
import type { Hex } from '../primitives/types.ts'
import type { NetworkAccounts, PresealNetworkConfig, ResolvedNetwork, Sensitive } from './networkConfig.ts'

/** Creates a chain with the options of a network. @throws InvalidOptionError, and whatever else `createChain` throws */
export async function openChain(network: ResolvedNetwork): Promise<PresealChain> {
  const { options, alsoAuto, ...time } = network.preseal!
  const { fork } = options
  const chain = await createChain({
    ...options,
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
  const keys = await derive(words, { passphrase, path, initialIndex, count })
  return keys.map((privateKey) => ({ privateKey, balance }))
}

async function readKey(key: Sensitive): Promise<Hex> {
  const text = await key.get()
  return (/^0x/i.test(text) ? text : `0x${text}`) as Hex
}

interface Derivation {
  readonly passphrase: string
  readonly path: string
  readonly initialIndex: number
  readonly count: number
}

/** Private keys of a mnemonic (BIP-32, BIP-39). */
async function derive(
  mnemonic: string,
  { passphrase, path, initialIndex, count }: Derivation,
): Promise<Hex[]> {
  const [{ HDKey }, { mnemonicToSeed }] = await Promise.all([import('@scure/bip32'), import('@scure/bip39')])
  const seed = await mnemonicToSeed(mnemonic, passphrase)
  const parent = HDKey.fromMasterSeed(seed).derive(path.replace(/\/$/, ''))
  return Array.from({ length: count }, (_, i) => bytesToHex(parent.deriveChild(initialIndex + i).privateKey!))
}
