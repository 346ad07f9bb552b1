import { describe, expect, it } from 'vitest'
import { VERSION } from '../../../src/base/version.ts'
import { banner, jsonLine } from '../../../src/kits/cli/banner.ts'

const STARTED = {
  url: 'http://127.0.0.1:8545',
  preconfUrl: 'http://127.0.0.1:8546',
  chainId: 31_337,
  accounts: [
    { address: '0x11', privateKey: '0xa1' },
    { address: '0x22', privateKey: '0xa2' },
  ],
} as const

describe('the banner', () => {
  it('shows accounts, keys and both URLs', () => {
    const text = banner(STARTED, { balance: 1_500_000_000_000_000_000n, mnemonic: 'test junk' })
    expect(text).toBe(`preseal ${VERSION}

Available Accounts
==================
(0) 0x11 (1.5 ETH)
(1) 0x22 (1.5 ETH)

Private Keys
==================
(0) 0xa1
(1) 0xa2

Wallet
==================
Mnemonic:          test junk
Derivation path:   m/44'/60'/0'/0/

Chain ID
==================
31337

Listening
==================
standard   http://127.0.0.1:8545
preconf    http://127.0.0.1:8546
`)
  })

  it.each([
    [{ publicUrl: 'http://a:1' }, 'standard   http://a:1\n'],
    [{ publicPreconfUrl: 'http://b:2' }, 'preconf    http://b:2\n'],
    [
      { publicUrl: 'http://a:1', publicPreconfUrl: 'http://b:2' },
      'standard   http://a:1\npreconf    http://b:2\n',
    ],
  ])('shows public ports: %j', (urls, lines) => {
    const text = banner({ ...STARTED, ...urls }, { balance: 0n, mnemonic: '' })
    expect(text.endsWith(`:8546\n\nListening for everyone\n==================\n${lines}`)).toBe(true)
  })

  it.each([
    [0n, '0'],
    [1n, '0.000000000000000001'],
    [10_000n * 10n ** 18n, '10000'],
  ])('shows %s wei as %s ether', (balance, ether) => {
    expect(banner(STARTED, { balance, mnemonic: '' })).toContain(`(0) 0x11 (${ether} ETH)\n`)
  })

  it.each([
    [1, '\nSignatures for this chain are valid on the forked one too: --chain-id sets a different id'],
    [31_337, ''],
  ])('shows what is forked, and warns if both chains have the id: %s', (chainId, warning) => {
    const fork = { chainId: 1, block: 21_000_000, hash: '0xab' } as const
    expect(banner({ ...STARTED, chainId, fork }, { balance: 1n, mnemonic: '' })).toContain(
      `\n\nFork\n==================\nblock 21000000 of chain 1, 0xab${warning}\n\nListening\n`,
    )
    expect(JSON.parse(jsonLine({ ...STARTED, chainId, fork }))).toEqual({ ...STARTED, chainId, fork })
  })

  it('has no accounts if there are none', () => {
    expect(
      banner({ ...STARTED, accounts: [] }, { balance: 1n, mnemonic: 'test junk' }),
    ).toBe(`preseal ${VERSION}

Chain ID
==================
31337

Listening
==================
standard   http://127.0.0.1:8545
preconf    http://127.0.0.1:8546
`)
  })

  it('is one line as JSON', () => {
    const line = jsonLine(STARTED)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line)).toEqual(STARTED)
  })
})
