import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import type { Hex, PresealChain } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { cheat } from '../../rpc/scene.ts'
import { forkOf } from '../fork/remoteChain.ts'
import { hashesOf, send } from '../sequencer/support.ts'
import { ANVIL_ACCOUNTS, ANVIL_STATE } from './anvilState.ts'

const STRANGER = `0x${'ab'.repeat(20)}`
const toHex = (text: string) => bytesToHex(new TextEncoder().encode(text))

/** A file as anvil writes it: with other fields than accounts, and slots with or without leading zeros. */
const FILE = {
  block: { number: '0x2', beneficiary: STRANGER, timestamp: '0x1', gas_limit: '0x1', basefee: '0x1' },
  accounts: {
    [STRANGER]: {
      nonce: 3,
      balance: '0x10',
      code: '0x6001',
      storage: { '0x1': '0x2', [`0x${'0'.repeat(64)}`]: '7' },
    },
  },
  best_block_number: '0x2',
}

const account = async (chain: PresealChain) => [
  await cheat(chain, 'eth_getBalance', STRANGER, 'latest'),
  await cheat(chain, 'eth_getTransactionCount', STRANGER, 'latest'),
  await cheat(chain, 'eth_getCode', STRANGER, 'latest'),
  Number(await cheat(chain, 'eth_getStorageAt', STRANGER, '0x1', 'latest')),
  Number(await cheat(chain, 'eth_getStorageAt', STRANGER, '0x0', 'latest')),
  Number(await cheat(chain, 'eth_getStorageAt', STRANGER, '0x9', 'latest')),
]

describe('anvil state files', () => {
  describe('a loaded state', () => {
    it.each([
      ['as an object', FILE],
      ['as JSON', toHex(JSON.stringify(FILE))],
    ])('replaces the accounts that it has, including storage, given %s', async (_form, file) => {
      const chain = await startChain()
      await cheat(chain, 'anvil_setStorageAt', STRANGER, '0x9', '0x1')
      expect(await cheat(chain, 'anvil_loadState', file)).toBe(true)
      expect(await account(chain)).toEqual(['0x10', '0x3', '0x6001', 2, 7, 0])
      expect(await cheat(chain, 'eth_getBalance', chain.accounts[0]!.address, 'latest')).not.toBe('0x0')
    })

    it('is refused if it is invalid, and changes nothing', async () => {
      const chain = await startChain()
      const load = (file: unknown) => cheat(chain, 'anvil_loadState', file)
      expect(await load('0x00')).toBe('error -32602 invalid state: not JSON, or JSON that ends early')
      expect(await load(`0x1f8b${'00'.repeat(20)}`)).toBe(
        'error -32602 invalid state: gzip data that is damaged, or ends early',
      )
      expect(await load(toHex('[]'))).toBe('error -32602 invalid state: the file is not an object')
      expect(await load({})).toBe('error -32602 invalid state: accounts is not an object')
      expect(await load({ accounts: { '0x1': {} } })).toBe(
        'error -32602 invalid state: accounts.0x1 is not a hex string of 20 bytes',
      )
      expect(await load({ accounts: { [STRANGER]: 1 } })).toBe(
        `error -32602 invalid state: accounts.${STRANGER} is not an object`,
      )
      expect(await load({ accounts: { [STRANGER]: { balance: 'x' } } })).toBe(
        `error -32602 invalid state: accounts.${STRANGER}.balance is not an integer >= 0 of up to 256 bits`,
      )
      expect(await load({ accounts: { [STRANGER]: { balance: '0x5', code: '0x1' } } })).toBe(
        `error -32602 invalid state: accounts.${STRANGER}.code is not a hex string`,
      )
      expect(await load(5)).toBe(
        'error -32602 invalid argument 0: expected a hex string of whole bytes, or an object',
      )
      expect((await account(chain))[0]).toBe('0x0')
    })
  })

  it('are dumped compressed, and load into an equal state', async () => {
    const chain = await startChain()
    await cheat(chain, 'anvil_loadState', FILE)
    await chain.seal()
    const state = await chain.standard.request({ method: 'anvil_dumpState' })
    expect([...hexToBytes(state).subarray(0, 2)]).toEqual([0x1f, 0x8b])
    const other = await startChain()
    await cheat(other, 'anvil_loadState', state)
    expect(await account(other)).toEqual(await account(chain))
  })

  it('are equal for equal states, in whatever order these were made', async () => {
    const accounts = [STRANGER, `0x${'cd'.repeat(20)}`, `0x${'01'.repeat(20)}`]
    const slots = ['0x9', '0x1', '0x5'].map((slot) => `0x${slot.slice(2).padStart(64, '0')}`)
    const dumpOf = async (change: <T>(items: T[]) => T[]) => {
      const chain = await startChain()
      for (const one of change([...accounts])) {
        await cheat(chain, 'anvil_setBalance', one, '0x5')
        for (const slot of change([...slots])) await cheat(chain, 'anvil_setStorageAt', one, slot, slots[1])
      }
      return chain.standard.request({ method: 'anvil_dumpState' })
    }
    expect(await dumpOf((items) => items.reverse())).toBe(await dumpOf((items) => items))
  })

  it('of a fork have what was changed there, with the code and the written slots of contracts', async () => {
    const remote = await startChain()
    await cheat(remote, 'anvil_loadState', FILE)
    await remote.seal()
    const fork = await forkOf(remote.standard, { accounts: { count: 0 } })
    await cheat(fork, 'anvil_setBalance', STRANGER, '0x11')
    await cheat(fork, 'anvil_setStorageAt', STRANGER, '0x9', `0x${'5'.padStart(64, '0')}`)
    await fork.seal()
    const other = await startChain()
    const state = await fork.standard.request({ method: 'anvil_dumpState' })
    expect(await cheat(other, 'anvil_loadState', state)).toBe(true)
    expect(await account(other)).toEqual(['0x11', '0x3', '0x6001', 0, 0, 5])
  })

  describe('a state dumped by anvil', () => {
    const COUNTER = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

    async function accounts(chain: TestChain) {
      const read: Record<string, unknown[]> = {}
      for (const address of Object.keys(ANVIL_ACCOUNTS)) {
        const of = (method: string, ...params: unknown[]) =>
          chain.standard.request({ method, params: [address, ...params, 'latest'] })
        read[address] = [
          await of('eth_getBalance'),
          await of('eth_getTransactionCount'),
          await of('eth_getCode'),
          BigInt((await of('eth_getStorageAt', '0x0')) as string),
          BigInt((await of('eth_getStorageAt', '0x1')) as string),
        ]
      }
      return read
    }

    it.each([
      ['by its method', async () => ANVIL_STATE],
      ['as a file', async () => bytesToHex(await unzip(ANVIL_STATE))],
      ['as a parsed file', async () => JSON.parse(new TextDecoder().decode(await unzip(ANVIL_STATE)))],
    ])('%s loads into the same accounts, on which transactions execute', async (_form, given) => {
      const chain = await startChain()
      expect(await cheat(chain, 'anvil_loadState', await given())).toBe(true)
      expect(await accounts(chain)).toEqual(ANVIL_ACCOUNTS)
      expect(await cheat(chain, 'eth_blockNumber')).toBe('0x2')

      const hash = await send(chain, { nonce: 2, to: COUNTER, value: 0n, gas: 50_000n })
      expect(hashesOf(await chain.seal())).toEqual([hash])
      expect(Number(await cheat(chain, 'eth_getStorageAt', COUNTER, '0x0', 'latest'))).toBe(43)
    })
  })
})

async function unzip(hex: string): Promise<Uint8Array> {
  const zipped = new Blob([hexToBytes(hex as Hex) as Uint8Array<ArrayBuffer>])
  const plain = zipped.stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(plain).arrayBuffer())
}
