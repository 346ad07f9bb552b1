/** The answers of the `hardhat` dialect, in process, by the plugin and over HTTP, beside those of Hardhat's own network. */
import assert from 'node:assert/strict'
import { network } from 'hardhat'
import { createChain } from 'preseal'
import { serve } from 'preseal/server'

const GAS_LIMIT = 30_000_000n

/** Pads hex digits to words. */
const word = (digits) => digits.padStart(64, '0')
const words = (digits) => digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
const address = (number) => `0x${number.toString(16).padStart(40, '0')}`

/** Code that reverts with data. */
function reverting(data) {
  const length = (data.length / 2).toString(16).padStart(4, '0')
  return `0x61${length}600e60003961${length}6000fd${data}`
}

const CODES = {
  reason: reverting(`08c379a0${word('20')}${word('5')}${words('68656c6c6f')}`),
  'no text': reverting(`08c379a0${word('20')}${word('0')}`),
  'assertion panic': reverting(`4e487b71${word('01')}`),
  'arithmetic panic': reverting(`4e487b71${word('11')}`),
  'memory panic': reverting(`4e487b71${word('41')}`),
  'unknown panic': reverting(`4e487b71${word('99')}`),
  'custom error': reverting(`deadbeef${word('01')}`),
  'two bytes': reverting('abcd'),
  'no reason': '0x60006000fd',
  'invalid opcode': '0xfe',
  'unknown opcode': '0x0c',
  'stack underflow': '0x50',
  'bad jump': '0x600056',
  'copy out of bounds': '0x60206000803e',
  'out of gas': '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff51',
  success: '0x600160005260206000f3',
  'number of the block': '0x4360005260206000f3',
}
const contracts = Object.entries(CODES).map(([name, code], i) => ({ name, code, to: address(0x9000 + i) }))
const to = (name) => contracts.find((contract) => contract.name === name).to

const [FROM] = await (await network.create('default')).provider.request({ method: 'eth_accounts' })
const POOR = address(0x1234)

/** Requests by name, in order: some change the state. The results of those that set up others are not compared. */
const REQUESTS = {
  ...Object.fromEntries(
    contracts.flatMap(({ name, to }) => [
      [`call: ${name}`, ['eth_call', [{ from: FROM, to }]]],
      [`estimate: ${name}`, ['eth_estimateGas', [{ from: FROM, to }]]],
      [`send: ${name}`, ['eth_sendTransaction', [{ from: FROM, to, gas: '0x186a0' }]]],
    ]),
  ),
  'call: creation': ['eth_call', [{ from: FROM, data: CODES.reason }]],
  'send: creation': ['eth_sendTransaction', [{ from: FROM, data: CODES['custom error'], gas: '0x186a0' }]],
  'send: code that is too large': [
    'eth_sendTransaction',
    [{ from: FROM, data: '0x6160016000f3', gas: '0xf42400' }],
  ],
  'send: init code that is too large': [
    'eth_sendTransaction',
    [{ from: FROM, data: `0x${'00'.repeat(49153)}`, gas: '0xf42400' }],
  ],
  'the nonce after failed sends': ['eth_getTransactionCount', [FROM]],
  'the block after failed sends': ['eth_blockNumber'],
  'nonce too low': ['eth_sendTransaction', [{ from: FROM, to: POOR, nonce: '0x0', gas: '0x5208' }]],
  'nonce too high': ['eth_sendTransaction', [{ from: FROM, to: POOR, nonce: '0xff', gas: '0x5208' }]],
  'too little gas': ['eth_sendTransaction', [{ from: FROM, to: POOR, gas: '0x5207' }]],
  'too little gas, called': ['eth_call', [{ from: FROM, to: POOR, gas: '0x5207' }]],
  'too little gas, estimated': ['eth_estimateGas', [{ from: FROM, to: POOR, gas: '0x5207' }]],
  'too low a fee cap': [
    'eth_sendTransaction',
    [{ from: FROM, to: POOR, gas: '0x5208', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' }],
  ],
  'too low a gas price': ['eth_sendTransaction', [{ from: FROM, to: POOR, gas: '0x5208', gasPrice: '0x1' }]],
  'too high a priority fee': [
    'eth_sendTransaction',
    [{ from: FROM, to: POOR, gas: '0x5208', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }],
  ],
  'unknown account': ['eth_sendTransaction', [{ from: POOR, to: FROM, gas: '0x5208', gasPrice: '0x1' }]],
  'unknown signer': ['personal_sign', ['0x', POOR]],
  'set up: impersonated account': ['hardhat_impersonateAccount', [POOR]],
  'no funds': [
    'eth_sendTransaction',
    [
      {
        from: POOR,
        to: FROM,
        gas: '0x5208',
        maxFeePerGas: '0x77359400',
        maxPriorityFeePerGas: '0x0',
        value: '0x1',
      },
    ],
  ],
  'unknown method': ['eth_nonsense'],
  'JSON number as block': ['eth_getBlockTransactionCountByNumber', [1]],
  'JSON number as gas': ['eth_call', [{ to: to('success'), gas: 100_000 }]],
  'number of the latest block': ['eth_call', [{ to: to('number of the block') }, 'latest']],
  'number of the pending block': ['eth_call', [{ to: to('number of the block') }, 'pending']],
  'unknown block, called': ['eth_call', [{ to: to('success') }, '0xffff']],
  'unknown block, read': ['eth_getBalance', [FROM, '0xffff']],
  'unknown hash': ['eth_getBalance', [FROM, { blockHash: `0x${'11'.repeat(32)}` }]],
  'unknown block, returned': ['eth_getBlockByNumber', ['0xffff', false]],
  'set up: next timestamp': ['evm_setNextBlockTimestamp', [4_000_000_000]],
  'set up: block at that time': ['evm_mine'],
  'earlier timestamp': ['evm_setNextBlockTimestamp', [1]],
  'same timestamp': ['evm_setNextBlockTimestamp', [4_000_000_000]],
  'block at an earlier time': ['evm_mine', [1]],
  'unknown snapshot': ['evm_revert', ['0x99']],
  'unknown transaction to drop': ['hardhat_dropTransaction', [`0x${'11'.repeat(32)}`]],
  'automatic mining': ['hardhat_getAutomine'],
}

/** Answers in order; of errors what clients read. */
async function answersOf(request) {
  for (const { code, to } of contracts) await request({ method: 'hardhat_setCode', params: [to, code] })
  const answers = {}
  for (const [name, [method, params = []]] of Object.entries(REQUESTS)) {
    answers[name] = await request({ method, params }).then(
      (result) => ({ result }),
      ({ code, message, data, transactionHash }) => ({ error: { code, message, data, transactionHash } }),
    )
  }
  return answers
}

/**
 * An answer without what may differ: hashes, estimates, the object around the data of errors that have no stack trace of Solidity, and
 * the blank line before a message.
 */
function comparable({ result, error }) {
  if (error === undefined) return { result: isLong(result) ? 'a hash' : result }
  const { code, message, transactionHash } = error
  const data = error.data?.data ?? (typeof error.data === 'string' ? error.data : undefined)
  const hash = transactionHash ?? error.data?.transactionHash
  return { code, message: message.trim(), data, hasHash: typeof hash === 'string' }
}

const isLong = (result) => typeof result === 'string' && result.length === 66

/** A chain like Hardhat's network. */
function startChain() {
  return createChain({ dialect: 'hardhat', mining: 'auto', gasLimit: GAS_LIMIT, accounts: { count: 20 } })
}

describe('answers of the dialect', () => {
  let expected
  before(async () => {
    const { provider } = await network.create({ network: 'default', override: { blockGasLimit: GAS_LIMIT } })
    expected = await answersOf((args) => provider.request(args))
  })

  for (const name of Object.keys(REQUESTS).filter((name) => !name.startsWith('set up: '))) {
    it(`${name}: as on Hardhat's network`, async () => {
      assert.deepEqual(comparable((await inProcess())[name]), comparable(expected[name]))
    })
  }

  it('are the same on a network of the plugin', async () => {
    const connection = await network.create({ network: 'served', override: { blockGasLimit: GAS_LIMIT } })
    const answers = await answersOf((args) => connection.provider.request(args))
    await connection.close()
    const compared = (answers) =>
      Object.entries(answers)
        .filter(([name]) => !name.startsWith('set up: '))
        .map(([name, answer]) => [name, comparable(answer)])
    assert.deepEqual(compared(answers), compared(expected))
  })

  it('are the same over HTTP, without the hash of a failed transaction', async () => {
    const chain = await startChain()
    const { url, close } = await serve(chain, { port: 0 })
    let id = 0
    const overHttp = await answersOf(async ({ method, params }) => {
      id += 1
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const { result, error } = await response.json()
      if (error !== undefined) throw error
      return result
    })
    await close()
    await chain.close()
    const withoutHash = ({ hasHash, ...answer }) => answer
    const all = (answers) =>
      Object.entries(answers).map(([name, answer]) => [name, withoutHash(comparable(answer))])
    assert.deepEqual(all(overHttp), all(await inProcess()))
  })
})

let answered
function inProcess() {
  answered ??= startChain().then(async (chain) => {
    const answers = await answersOf((args) => chain.standard.request(args))
    await chain.close()
    return answers
  })
  return answered
}
