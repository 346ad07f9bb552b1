/** The prefunded accounts of a chain. */

import { bytesToHex, hexToBytes } from '../../base/bytes.ts'
import { systemClock } from '../../base/clock.ts'
import { RecentMap } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { InvalidPrivateKeyError } from '../../base/crypto/errors.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import { DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import { check } from '../../base/options/option.ts'
import type { Address, DevAccount, DevAccounts, Hex } from '../../base/types.ts'
import { createYielder } from '../../base/waiting.ts'
import type { ResolvedOptions } from '../options.ts'

const MAX_KEPT = 100

/** The accounts derived last, by mnemonic. Kept, since key stretching takes most of the time of a start. */
const derived = new RecentMap<string, readonly DevAccount[]>(4)

/** Derives accounts at m/44'/60'/0'/0/i (BIP-32, BIP-39, BIP-44). @throws InvalidOptionError for a malformed mnemonic. */
export async function mnemonicToAccounts(
  mnemonic: string,
  count: number,
  crypto: Crypto,
): Promise<DevAccounts> {
  if (mnemonic === DEFAULT_MNEMONIC && count <= DEFAULT_ACCOUNTS.length) {
    return toFrozen(DEFAULT_ACCOUNTS.slice(0, count))
  }
  const known = derived.get(mnemonic)
  if (known !== undefined && known.length >= count) return toFrozen(known.slice(0, count))
  const accounts: DevAccount[] = []
  for await (const privateKey of privateKeysOf(mnemonic, count)) {
    accounts.push({ address: crypto.addressOf(crypto.publicKey(hexToBytes(privateKey))), privateKey })
  }
  if (count <= MAX_KEPT) derived.set(mnemonic, accounts)
  return toFrozen(accounts)
}

function toFrozen(accounts: readonly DevAccount[]): DevAccounts {
  return Object.freeze(accounts.map((account) => Object.freeze({ ...account }))) as object as DevAccounts
}

/** Which keys of a mnemonic are derived; default: from m/44'/60'/0'/0/0 on, without a passphrase. */
interface KeyPath {
  readonly path?: string
  /** The index of the first key. */
  readonly first?: number
  readonly passphrase?: string
}

/** Derives private keys from a mnemonic, and yields to the event loop between them. @throws InvalidOptionError */
export async function* privateKeysOf(
  mnemonic: string,
  count: number,
  { path = "m/44'/60'/0'/0", first = 0, passphrase }: KeyPath = {},
): AsyncGenerator<Hex> {
  const [{ HDKey }, { mnemonicToSeed }] = await Promise.all([import('@scure/bip32'), import('@scure/bip39')])
  let seed: Uint8Array
  try {
    seed = await mnemonicToSeed(mnemonic, passphrase)
  } catch {
    throw new InvalidOptionError('accounts.mnemonic', 'a BIP-39 mnemonic of 12 to 24 words')
  }
  const parent = HDKey.fromMasterSeed(seed).derive(path)
  const pause = createYielder(systemClock)
  for (let i = 0; i < count; i++) {
    await pause()
    yield bytesToHex(parent.deriveChild(first + i).privateKey!)
  }
}

/** Addresses and keys of the default mnemonic, precomputed since stretching the key is slow; a test verifies them. */
const DEFAULT_ACCOUNTS: readonly DevAccount[] = `
f39fd6e51aad88f6f4ce6ab8827279cfffb92266 ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
70997970c51812dc3a010c7d01b50e0d17dc79c8 59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d
3c44cdddb6a900fa2b585dd299e03d12fa4293bc 5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a
90f79bf6eb2c4f870365e785982e1f101e93b906 7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6
15d34aaf54267db7d7c367839aaf71a00a2c6a65 47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a
9965507d1a55bcc2695c58ba16fb37d819b0a4dc 8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba
976ea74026e726554db657fa54763abd0c3a0aa9 92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e
14dc79964da2c08b23698b3d3cc7ca32193d9955 4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356
23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97
a0ee7a142d267c1f36714e4a8f75612f20a79720 2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6
bcd4042de499d14e55001ccbb24a551f3b954096 f214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897
71be63f3384f5fb98995898a86b02fb2426c5788 701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82
fabb0ac9d68b0b445fb7357272ff202c5651694a a267530f49f8280200edf313ee7af6b827f2a8bce2897751d06a843f644967b1
1cbd3b2770909d4e10f157cabc84c7264073c9ec 47c99abed3324a2707c28affff1267e45918ec8c3f20b8aa892e8b065d2942dd
df3e18d64bc6a983f673ab319ccae4f1a57c7097 c526ee95bf44d8fc405a158bb884d9d1238d99f0612e9f33d006bb0789009aaa
cd3b766ccdd6ae721141f452c550ca635964ce71 8166f546bab6da521a8369cab06c5d2b9e46670292d85c875ee9ec20e84ffb61
2546bcd3c84621e976d8185a91a922ae77ecec30 ea6c44ac03bff858b476bba40716402b03e41b8e97e276d1baec7c37d42484a0
bda5747bfd65f08deb54cb465eb87d40e51b197e 689af8efa8c651a91ad287602527f3af2fe9f6501a7ac4b061667b5a93e037fd
dd2fd4581271e230360230f9337d5c0430bf44c0 de9be858da4a475276426320d5e9262ecfc3ba460bfac56360bfa6c4c28b4ee0
8626f6940e2eb28930efb4cef49b2d1f2c9c1199 df57089febbacf7ba0bc227dafbffa9fc08a93fdc68e1e42411a14efcf23656e
`
  .trim()
  .split('\n')
  .map((row) => ({ address: `0x${row.slice(0, 40)}`, privateKey: `0x${row.slice(41)}` }))

/** Returns the addresses of the option `accounts` that are known without derivation. */
export function statedAddresses({ accounts }: Pick<ResolvedOptions, 'accounts'>): readonly Address[] {
  if (!('mnemonic' in accounts)) return accounts.flatMap(({ address }) => address ?? [])
  return accounts.mnemonic === DEFAULT_MNEMONIC
    ? DEFAULT_ACCOUNTS.slice(0, accounts.count).map(({ address }) => address)
    : []
}

/**
 * Returns the accounts of the option `accounts`: listed, or derived from a mnemonic.
 *
 * @throws InvalidOptionError for a malformed mnemonic, an invalid private key, or an address of a different key.
 */
export async function resolveAccounts({ accounts }: ResolvedOptions, crypto: Crypto): Promise<DevAccounts> {
  if ('mnemonic' in accounts) return mnemonicToAccounts(accounts.mnemonic, accounts.count, crypto)
  const listed = accounts.map(({ address: stated, privateKey }, i) => {
    const address = addressOfKey(privateKey, crypto)
    const isValid = address !== undefined && (stated ?? address) === address
    check(isValid, `accounts[${i}]`, 'a valid privateKey and its address')
    return { address, privateKey }
  })
  return toFrozen(listed)
}

function addressOfKey(privateKey: Hex, crypto: Crypto): Address | undefined {
  try {
    return crypto.addressOf(crypto.publicKey(hexToBytes(privateKey)))
  } catch (error) {
    if (error instanceof InvalidPrivateKeyError) return undefined
    throw error
  }
}
