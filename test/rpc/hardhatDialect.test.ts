import { numberToHex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { CLIENT_VERSION } from '../../src/base/version.ts'
import type { Address, ChainOptions, Hex, Provider } from '../../src/index.ts'
import { ExecutionRevertedError, NonceTooHighError } from '../../src/kits/errors/index.ts'
import { startChain } from '../harness.ts'
import { ask, probeCall, sign, startScene } from './scene.ts'

const OTHER: Address = `0x${'77'.repeat(20)}`
const HASH = `0x${'11'.repeat(32)}`

/** A scene whose requests are answered in the dialect, and its accounts. */
async function startHardhat(options: ChainOptions = {}) {
  const scene = await startScene({ dialect: 'hardhat', ...options })
  return { ...scene, provider: scene.chain.standard as Provider }
}

async function startAuto(options: ChainOptions = {}) {
  const chain = await startChain({ dialect: 'hardhat', mining: 'auto', ...options })
  const [from, to] = chain.accounts.map(({ address }) => address) as [Address, Address]
  return { chain, provider: chain.standard as Provider, from, to }
}

/** Code that counts its calls in slot 0 and writes as many slots as there were before; the 17th panics with 0x41. */
const COUNTING: Hex = `0x${[
  '600054 80 6010 11 6038 57',
  `7f${'4e487b71'.padEnd(64, '0')} 600052 6041600452 60246000fd`,
  '5b 80 600101 600055',
  '5b 80 15 6054 57 8054600101 8155 60019003 604056',
  '5b 00',
]
  .join('')
  .replaceAll(' ', '')}`

describe('the hardhat dialect', () => {
  it('words failed calls and estimates as Hardhat does, all with data', async () => {
    const { provider, accounts, probe } = await startHardhat()
    const answers: Record<string, unknown> = {}
    for (const name of ['fail', 'failString', 'failEmpty', 'panic', 'invalid', 'loop']) {
      const call = { from: accounts[0], to: probe, data: probeCall(name), gas: numberToHex(200_000) }
      const [called, estimated] = [
        await ask(provider, 'eth_call', [call]),
        await ask(provider, 'eth_estimateGas', [call]),
      ]
      expect(estimated).toEqual(called)
      answers[name] = called
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "fail": "error 3 VM Exception while processing transaction: reverted with an unrecognized custom error (return data: 0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a) "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
        "failEmpty": "error 3 Transaction reverted without a reason string "0x"",
        "failString": "error 3 VM Exception while processing transaction: reverted with reason string 'nope' "100 bytes, keccak256 0x1db44c56184092c2"",
        "invalid": "error 3 VM Exception while processing transaction: invalid opcode "0x"",
        "loop": "error -32000 Transaction ran out of gas "0x"",
        "panic": "error 3 VM Exception while processing transaction: reverted with panic code 0x1 (Assertion error) "0x4e487b710000000000000000000000000000000000000000000000000000000000000001"",
      }
    `)
  })

  it('words other errors as Hardhat does', async () => {
    const { provider, accounts } = await startHardhat()
    const requests: Record<string, readonly [string, readonly unknown[]]> = {
      'unknown method': ['eth_nonsense', []],
      'unknown account': ['eth_sendTransaction', [{ from: `0x${'ab'.repeat(20)}`, to: OTHER }]],
      'little gas': ['eth_call', [{ from: accounts[0], to: OTHER, gas: '0x5207' }]],
      'little gas, estimated': ['eth_estimateGas', [{ from: accounts[0], to: OTHER, gas: '0x5207' }]],
      'unknown block': ['eth_getBalance', [OTHER, '0xffff']],
      'unknown hash': ['eth_getBalance', [OTHER, { blockHash: HASH }]],
      'unknown block of a call': ['eth_call', [{ to: OTHER }, '0xffff', {}]],
      'low timestamp': ['evm_setNextBlockTimestamp', [1]],
      'priority fee': [
        'eth_sendTransaction',
        [{ from: accounts[0], to: OTHER, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }],
      ],
      'invalid parameters': ['eth_getBalance', ['0x1']],
    }
    const answers: Record<string, unknown> = {}
    for (const [name, request] of Object.entries(requests)) answers[name] = await ask(provider, ...request)
    expect(answers).toMatchInlineSnapshot(`
      {
        "invalid parameters": "error -32602 invalid argument 0: expected a 20-byte address",
        "little gas": "error -32000 Transaction requires at least 21000 gas but got 20999",
        "little gas, estimated": "error -32000 Transaction requires at least 21000 gas but got 20999",
        "low timestamp": "error -32000 Timestamp 1 is lower than the previous block's timestamp 1700000002",
        "priority fee": "error -32000 maxPriorityFeePerGas (2) is bigger than maxFeePerGas (1)",
        "unknown account": "error -32000 Unknown account 0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB",
        "unknown block": "error -32000 Received invalid block tag 65535. Latest block number is 2",
        "unknown block of a call": "error -32000 Received invalid block tag 65535. Latest block number is 2",
        "unknown hash": "error -32000 Received invalid block tag 0x1111111111111111111111111111111111111111111111111111111111111111. Latest block number is 2",
        "unknown method": "error -32004 Method eth_nonsense is not supported",
      }
    `)
  })

  it('takes JSON numbers for quantities, and no other value that it refuses otherwise', async () => {
    const { provider, probe } = await startHardhat()
    const call = { to: probe, data: probeCall('context') }
    const pairs: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
      ['eth_getBlockByNumber', [1, false], ['0x1', false]],
      ['eth_getBalance', [probe, 1], [probe, '0x1']],
      ['eth_call', [call, 1], [call, '0x1']],
      ['eth_call', [{ ...call, gas: 100_000 }, { blockNumber: 1 }], [{ ...call, gas: '0x186a0' }, '0x1']],
      ['eth_getLogs', [{ fromBlock: 0, toBlock: 2 }], [{ fromBlock: '0x0', toBlock: '0x2' }]],
      ['eth_feeHistory', [2, 1, [25, 75]], ['0x2', '0x1', [25, 75]]],
    ]
    for (const [method, numbers, quantities] of pairs) {
      expect(await ask(provider, method, numbers)).toEqual(await ask(provider, method, quantities))
    }
    for (const block of [1.5, -1, Number.NaN, 2 ** 60, true, '1']) {
      expect(await ask(provider, 'eth_getBalance', [probe, block])).toBe(
        'error -32602 invalid argument 1: expected a block number, tag or hash',
      )
    }
  })

  it('is the node that Hardhat detects, unless an option names another', async () => {
    const version = { method: 'web3_clientVersion' }
    const { chain, provider } = await startAuto()
    expect(await provider.request(version)).toBe(`HardhatNetwork/${CLIENT_VERSION}`)
    expect(await provider.request({ method: 'hardhat_metadata' })).toMatchObject({
      clientVersion: `HardhatNetwork/${CLIENT_VERSION}`,
    })
    expect(await chain.provider('standard', { dialect: 'preconf' }).request(version)).toBe(CLIENT_VERSION)
    const named = await startChain({ dialect: 'hardhat', clientVersion: 'x' })
    expect(await named.standard.request(version)).toBe('x')
  })

  it.each(['eth_sendTransaction', 'eth_sendRawTransaction'])(
    'refuses %s of a transaction that fails in its block, with its hash',
    async (method) => {
      const { chain, provider, from } = await startAuto()
      await provider.request({ method: 'hardhat_setCode', params: [OTHER, '0x60006000fd'] })
      const raw = await sign(chain, 0, { nonce: 0, to: OTHER })
      const params = method === 'eth_sendTransaction' ? [{ from, to: OTHER }] : [raw]
      const error: unknown = await provider.request({ method, params }).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(ExecutionRevertedError)
      const block = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['0x1'] })
      const transactions = block!.transactions as readonly Hex[]
      expect(error).toMatchObject({
        code: 3,
        message: 'Transaction reverted without a reason string',
        data: '0x',
        transactionHash: transactions[0],
      })
      expect(
        await provider.request({ method: 'eth_getTransactionReceipt', params: [transactions[0]] }),
      ).toMatchObject({
        status: '0x0',
      })
    },
  )

  it('sends without an estimate, with the gas of a block or the most that a transaction may have', async () => {
    const gasOf = async (options: ChainOptions) => {
      const { provider, from, to } = await startAuto(options)
      const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to }] })
      const { gas } = (await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })) as {
        gas: Hex
      }
      return BigInt(gas)
    }
    expect(await gasOf({ hardfork: 'prague' })).toBe(30_000_000n)
    expect(await gasOf({ hardfork: 'osaka' })).toBe(16_777_216n)
    expect(await gasOf({ hardfork: 'osaka', gasLimit: 10_000_000n })).toBe(10_000_000n)
  })

  it('seals signed transactions that arrive together in a block each', async () => {
    const { chain, provider, to } = await startAuto()
    const raws = await Promise.all([0, 1, 2].map((from) => sign(chain, from, { nonce: 0, to })))
    const hashes = await Promise.all(raws.map((raw) => ask(provider, 'eth_sendRawTransaction', [raw])))
    const receipts = await Promise.all(
      hashes.map((hash) => ask(provider, 'eth_getTransactionReceipt', [hash])),
    )
    expect(receipts).toMatchObject(['0x1', '0x2', '0x3'].map((blockNumber) => ({ blockNumber })))
  })

  it('refuses in auto mining what no block would include, and leaves nothing in the mempool', async () => {
    const { chain, provider, from, to } = await startAuto()
    const send = (fields: object) =>
      ask(provider, 'eth_sendTransaction', [{ from, to, gas: '0x5208', ...fields }])
    await send({})
    const answers = {
      low: await send({ nonce: '0x0' }),
      high: await send({ nonce: '0x5' }),
      fee: await send({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' }),
      price: await send({ gasPrice: '0x1' }),
      gas: await send({
        gas: '0x2faf080',
        maxFeePerGas: numberToHex(10n ** 9n),
        maxPriorityFeePerGas: '0x0',
      }),
      funds: await send({ value: numberToHex(parseEther('1000000')), gasPrice: numberToHex(10n ** 9n) }),
      raw: await ask(provider, 'eth_sendRawTransaction', [await sign(chain, 0, { nonce: 7, to })]),
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "fee": "error -32000 Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 765778125",
        "funds": "error -32000 Sender doesn't have enough funds to send tx. The max upfront cost is: 1000000000021000000000000 and the sender's balance is: 9999999960625000000000.",
        "gas": "error -32000 Transaction gas limit is 50000000 and exceeds block gas limit of 30000000",
        "high": "error -32000 Nonce too high. Expected nonce to be 1 but got 5. Note that transactions can't be queued when automining.",
        "low": "error -32000 Nonce too low. Expected nonce to be 1 but got 0. Note that transactions can't be queued when automining.",
        "price": "error -32000 Transaction gasPrice (1) is too low for the next block, which has a baseFeePerGas of 765778125",
        "raw": "error -32000 Nonce too high. Expected nonce to be 1 but got 7. Note that transactions can't be queued when automining.",
      }
    `)
    expect(await provider.request({ method: 'txpool_status' })).toEqual({ pending: '0x0', queued: '0x0' })
    const raw = await sign(chain, 0, { nonce: 7, to })
    const sent = provider.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await expect(sent).rejects.toBeInstanceOf(NonceTooHighError)
  })

  it('includes what waits for a block as it is sent, if blocks are made on request', async () => {
    const { provider, from } = await startAuto()
    await provider.request({ method: 'hardhat_setCode', params: [OTHER, '0x60006000fd'] })
    await provider.request({ method: 'evm_setAutomine', params: [false] })
    const send = (nonce: Hex) =>
      provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: OTHER, nonce, gas: '0x186a0' }],
      })
    const [second, first] = [await send('0x1'), await send('0x0')]
    await provider.request({ method: 'evm_mine' })
    expect(await provider.request({ method: 'eth_getBlockByNumber', params: ['latest'] })).toMatchObject({
      transactions: [first, second],
    })
  })
})

describe.each(['preconf', 'hardhat'] as const)(
  'sends at the same time in auto mining, in the %s dialect',
  (dialect) => {
    it('succeed as they do one after the other, each in its block', async () => {
      const { chain, provider, from } = await startAuto({ dialect })
      await provider.request({ method: 'hardhat_setCode', params: [OTHER, COUNTING] })
      const push = () => provider.request({ method: 'eth_sendTransaction', params: [{ from, to: OTHER }] })
      const hashes = await Promise.all(Array.from({ length: 16 }, push))
      const receipts = await Promise.all(
        hashes.map((hash) => provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
      )
      expect(receipts).toEqual(
        hashes.map((transactionHash, i) =>
          expect.objectContaining({ transactionHash, status: '0x1', blockNumber: numberToHex(i + 1) }),
        ),
      )
      expect(await chain.standard.request({ method: 'eth_getStorageAt', params: [OTHER, '0x0'] })).toBe(
        `0x${'10'.padStart(64, '0')}`,
      )
      const panic = `0x4e487b71${'41'.padStart(64, '0')}`
      await expect(push()).rejects.toMatchObject({ data: panic })
    })
  },
)
