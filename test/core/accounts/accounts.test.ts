import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { realNow, replaceRealTime, systemClock } from '../../../src/base/clock.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import { DEFAULT_MNEMONIC } from '../../../src/base/options/accountOptions.ts'
import { mnemonicToAccounts, resolveAccounts, statedAddresses } from '../../../src/core/accounts/accounts.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { ChainOptions } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { startForkScene } from '../fork/forkScene.ts'

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

let crypto: Crypto
describe('accounts', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  /** The same accounts, derived by viem and @scure alone. */
  function derive(mnemonic: string, count: number) {
    const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive("m/44'/60'/0'/0")
    return Array.from({ length: count }, (_, index) => ({
      address: mnemonicToAccount(mnemonic, { addressIndex: index }).address.toLowerCase(),
      privateKey: bytesToHex(parent.deriveChild(index).privateKey!),
    }))
  }

  it('are stated without deriving them if they are the default ones, or listed with their addresses', async () => {
    const [one, two] = derive(OTHER, 2) as [{ address: `0x${string}`; privateKey: `0x${string}` }, never]
    const stated = (accounts: ChainOptions['accounts']) => statedAddresses(resolveOptions({ accounts }))
    const resolved = async (accounts: ChainOptions['accounts']) =>
      (await resolveAccounts(resolveOptions({ accounts }), crypto)).map(({ address }) => address)
    for (const accounts of [undefined, { count: 20 }, { count: 0 }, [one, two]]) {
      expect(stated(accounts)).toEqual(await resolved(accounts))
    }
    expect(stated([{ privateKey: one.privateKey }, two])).toEqual([derive(OTHER, 2)[1]!.address])
    expect(stated({ mnemonic: OTHER })).toEqual([])
  })

  describe('mnemonicToAccounts', () => {
    it('derives the accounts of the default mnemonic', async () => {
      expect(await mnemonicToAccounts(DEFAULT_MNEMONIC, 20, crypto)).toEqual(derive(DEFAULT_MNEMONIC, 20))
    })

    it('derives the requested number of accounts', async () => {
      expect(await mnemonicToAccounts(DEFAULT_MNEMONIC, 0, crypto)).toEqual([])
      expect(await mnemonicToAccounts(DEFAULT_MNEMONIC, 3, crypto)).toEqual(derive(DEFAULT_MNEMONIC, 3))
      expect(await mnemonicToAccounts(DEFAULT_MNEMONIC, 22, crypto)).toEqual(derive(DEFAULT_MNEMONIC, 22))
    })

    it('derives the accounts of another mnemonic', async () => {
      for (const count of [2, 5, 3]) {
        expect(await mnemonicToAccounts(OTHER, count, crypto)).toEqual(derive(OTHER, count))
      }
    })

    it('yields to the event loop while it derives, which it does once', async () => {
      let now = realNow()
      // As if each account took 10 ms.
      onTestFinished(
        replaceRealTime(() => {
          now += 10
          return now
        }),
      )
      const yields = vi.spyOn(systemClock, 'yield')
      onTestFinished(() => yields.mockRestore())
      await mnemonicToAccounts(OTHER, 21, crypto)
      expect(yields.mock.calls.length).toBeGreaterThanOrEqual(20)
      yields.mockClear()
      expect(await mnemonicToAccounts(OTHER, 21, crypto)).toEqual(derive(OTHER, 21))
      expect(yields).not.toHaveBeenCalled()
    })

    it.each(['', 'test', 'test test test test test test test test test test test'])(
      'refuses an invalid mnemonic: %j',
      async (mnemonic) => {
        await expect(mnemonicToAccounts(mnemonic, 1, crypto)).rejects.toThrow(
          new InvalidOptionError('accounts.mnemonic', 'a BIP-39 mnemonic of 12 to 24 words'),
        )
      },
    )
  })

  describe('the accounts of a chain', () => {
    it('are those of the mnemonic, each with the balance', async () => {
      const chain = await startChain({ accounts: { mnemonic: OTHER, count: 2, balance: 5n } })
      expect(chain.accounts).toEqual(derive(OTHER, 2))
      for (const { address } of chain.accounts) {
        expect(await chain.standard.request({ method: 'eth_getBalance', params: [address, 'latest'] })).toBe(
          '0x5',
        )
      }
    })

    it('are exactly those given, in lower case', async () => {
      const privateKey = `0x${'01'.repeat(32)}` as const
      const { address } = privateKeyToAccount(privateKey)
      const chain = await startChain({ accounts: [{ address, privateKey }] })
      expect(chain.accounts).toEqual([{ address: address.toLowerCase(), privateKey }])
    })

    it('have the address of their key, and the balance that they state', async () => {
      const privateKey = `0x${'01'.repeat(32)}` as const
      const other = `0x${'02'.repeat(32)}` as const
      const chain = await startChain({ accounts: [{ privateKey, balance: 7n }, { privateKey: other }] })
      expect(chain.accounts).toEqual(
        [privateKey, other].map((key) => ({
          address: privateKeyToAccount(key).address.toLowerCase(),
          privateKey: key,
        })),
      )
      const balances = chain.accounts.map(({ address }) =>
        chain.standard.request({ method: 'eth_getBalance', params: [address, 'latest'] }),
      )
      expect(await Promise.all(balances)).toEqual(['0x7', '0x21e19e0c9bab2400000'])
    })

    it('have the balance that they state on a fork too', async () => {
      const privateKey = `0x${'01'.repeat(32)}` as const
      const { fork } = await startForkScene({ accounts: [{ privateKey, balance: 7n }] })
      const [{ address }] = fork.accounts
      expect(await fork.standard.request({ method: 'eth_getBalance', params: [address, 'latest'] })).toBe(
        '0x7',
      )
    })

    it('are refused if an address is not that of its key, or the key is invalid', async () => {
      const address = `0x${'ab'.repeat(20)}` as const
      for (const byte of ['01', '00', 'ff']) {
        const accounts = [{ address, privateKey: `0x${byte.repeat(32)}` }] as const
        await expect(startChain({ accounts })).rejects.toThrow(
          new InvalidOptionError('accounts[0]', 'a valid privateKey and its address'),
        )
      }
    })
  })
})
