/** A forked node that answers something else than it was asked for. */
import { describe, expect, it } from 'vitest'
import { ask } from '../../rpc/scene.ts'
import { type RemoteCall, startForkScene } from './forkScene.ts'

const H = `0x${'11'.repeat(32)}`
/** A log without topics. */
const LOG = {
  address: H.slice(0, 42),
  topics: [],
  data: '0x',
  blockNumber: '0x1',
  blockHash: H,
  transactionHash: H,
  transactionIndex: '0x0',
  logIndex: '0x0',
}

type Lie = readonly [
  name: string,
  params: readonly unknown[],
  lie: (answer: never) => unknown,
  problem: string,
]

/** Wrong answers, by the method that is asked. */
const LIES: readonly Lie[] = [
  [
    'eth_getBlockByNumber',
    ['0x1', false],
    (one: object) => ({ ...one, number: '0x0' }),
    'expected 0x1 at .number',
  ],
  ['eth_getBlockByNumber', ['0x1', false], () => null, 'expected an object'],
  [
    'eth_getBlockByNumber',
    ['0x1', false],
    (one: object) => ({ ...one, hash: '0x12' }),
    'expected a hex string of 32 bytes at .hash',
  ],
  [
    'eth_getBlockByNumber',
    ['0x1', true],
    (one: object) => ({ ...one, transactions: [H] }),
    'expected an object at .transactions[0]',
  ],
  [
    'eth_getBlockByNumber',
    ['0x1', false],
    (one: object) => ({ ...one, logsBloom: '0x00' }),
    'expected a hex string of 256 bytes at .logsBloom',
  ],
  [
    'eth_getBlockReceipts',
    ['0x1'],
    (all: object[]) => [all[1], all[0]],
    'expected 0x0 at [0].transactionIndex',
  ],
  [
    'eth_getBlockReceipts',
    ['0x1'],
    (all: object[]) => all.map((one) => ({ ...one, blockNumber: '0x2' })),
    'expected 0x1 at [0].blockNumber',
  ],
  ['eth_getBlockTransactionCountByNumber', ['0x1'], () => 3, 'expected a hex quantity of up to 64 bits'],
  ['eth_getBalance', [H.slice(0, 42), '0x1'], () => '0x', 'expected a hex quantity of up to 256 bits'],
  ['eth_getBalance', [H.slice(0, 42), '0x1'], () => '<html>', 'expected a hex quantity of up to 256 bits'],
  ['eth_getCode', [H.slice(0, 42), '0x1'], () => '0x123', 'expected a hex string of up to 16777216 bytes'],
  [
    'eth_getStorageAt',
    [H.slice(0, 42), '0x0', '0x1'],
    () => '0xg',
    'expected a hex string of up to 32 bytes',
  ],
  [
    'eth_getStorageAt',
    [H.slice(0, 42), '0x0', '0x1'],
    () => `${H}00`,
    'expected a hex string of up to 32 bytes',
  ],
  [
    'eth_getStorageValues',
    [{ [H.slice(0, 42)]: ['0x0', '0x1'] }, '0x1'],
    () => ({ [H.slice(0, 42)]: ['0x0'] }),
    `expected 2 words at .${H.slice(0, 42)}`,
  ],
  ['eth_call', [{ to: H.slice(0, 42) }, '0x1'], () => null, 'expected a hex string of up to 16777216 bytes'],
  [
    'eth_getProof',
    [H.slice(0, 42), ['0x0'], '0x1'],
    (one: object) => ({ ...one, storageProof: [] }),
    'expected 1 items at .storageProof',
  ],
  [
    'eth_getTransactionByHash',
    [H],
    (_none) => ({ hash: `0x${'12'.repeat(32)}` }),
    'expected a hex string of 20 bytes at .from',
  ],
  [
    'eth_feeHistory',
    ['0x2', '0x1'],
    (one: object) => ({ ...one, oldestBlock: '0x1' }),
    'expected the fees of up to 2 blocks up to block 1',
  ],
  [
    'eth_getLogs',
    [{ fromBlock: '0x0', toBlock: '0x2' }],
    (all: object[]) => [...all].reverse(),
    'expected logs of blocks 0 to 2 in their order at [1]',
  ],
  ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x1' }], () => 'none', 'expected an array'],
  [
    'eth_getLogs',
    [{ fromBlock: '0x0', toBlock: '0x2', topics: [null, H] }],
    () => [LOG],
    'expected a log that matches the filter at [0]',
  ],
  [
    'trace_block',
    ['0x1'],
    (all: object[]) => all.map((one) => ({ ...one, blockNumber: 2 })),
    'expected 0x1 at [0].blockNumber',
  ],
]

/** Whether the block of the fork is asked for, which none of the requests names alone. */
const isPinCheck = ({ method, params }: RemoteCall) =>
  method === 'eth_getBlockByNumber' && params[0] === '0x2'

describe('a forked node that lies', () => {
  it.each(LIES)(
    '%s %j: an error names method, params and what is wrong',
    async (method, params, lie, problem) => {
      const { spy, fork } = await startForkScene()
      spy.lie = (call, answer) =>
        call.method === method && !isPinCheck(call) ? lie(answer as never) : answer
      const answer = String(await ask(fork.standard, method, params))
      expect(answer.slice(0, answer.indexOf(method))).toBe(
        'error -32000 invalid answer of the forked node to ',
      )
      expect(answer.slice(-problem.length - 2)).toBe(`: ${problem}`)
      // Nothing of the wrong answer is kept.
      spy.lie = (_call, answer) => answer
      expect(String(await ask(fork.standard, method, params))).not.toMatch(/^error/)
    },
  )
})
