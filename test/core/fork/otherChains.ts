/** Blocks as nodes of other chains answer with them, and a node that has one of them. */
import type { RemoteCall } from './forkScene.ts'

const h = (byte: string): string => `0x${byte.repeat(32)}`
const a = (byte: string): string => `0x${byte.repeat(20)}`
const BLOOM = `0x${'00'.repeat(256)}`

/** The fields that all of them have. */
const HEADER = {
  parentHash: h('01'),
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: a('42'),
  stateRoot: h('02'),
  transactionsRoot: h('03'),
  receiptsRoot: h('04'),
  logsBloom: BLOOM,
  timestamp: '0x66000000',
  gasUsed: '0xb3a1',
  extraData: '0x',
  mixHash: h('05'),
  nonce: '0x0000000000000000',
  size: '0x342',
  baseFeePerGas: '0x3b9aca00',
  uncles: [],
} as const

/** A block with one transaction, as with `full` and without. */
export interface OtherChain {
  readonly chainId: number
  readonly block: Readonly<Record<string, unknown>> & { readonly number: string; readonly hash: string }
  readonly transaction: Readonly<Record<string, unknown>> & { readonly hash: string }
  readonly receipt: Readonly<Record<string, unknown>>
}

function otherChain(
  chainId: number,
  block: Readonly<Record<string, unknown>>,
  transaction: Readonly<Record<string, unknown>>,
  receipt: Readonly<Record<string, unknown>> = {},
): OtherChain {
  const place = { blockHash: h('bb'), blockNumber: '0x64', transactionIndex: '0x0' }
  const own = { from: a('de'), to: a('15'), nonce: '0x0', value: '0x0', gas: '0xf4240', input: '0x' }
  return {
    chainId,
    block: { ...HEADER, number: '0x64', hash: h('bb'), difficulty: '0x0', gasLimit: '0x1c9c380', ...block },
    transaction: { ...own, hash: h('cc'), ...place, ...transaction },
    receipt: {
      transactionHash: h('cc'),
      ...place,
      from: own.from,
      to: own.to,
      contractAddress: null,
      gasUsed: '0xb3a1',
      cumulativeGasUsed: '0xb3a1',
      logs: [],
      logsBloom: BLOOM,
      status: '0x1',
      ...receipt,
    },
  }
}

export const OTHER_CHAINS: Readonly<Record<string, OtherChain>> = {
  'a deposit (0x7e) of an OP chain': otherChain(
    10,
    { withdrawals: [], withdrawalsRoot: h('06'), blobGasUsed: '0x0', excessBlobGas: '0x0' },
    {
      type: '0x7e',
      sourceHash: h('07'),
      mint: '0x0',
      isSystemTx: false,
      depositReceiptVersion: '0x1',
      gasPrice: '0x0',
      v: '0x0',
      r: '0x0',
      s: '0x0',
    },
    { type: '0x7e', depositNonce: '0x5', depositReceiptVersion: '0x1', l1Fee: '0x0' },
  ),
  'the difficulty of BSC': otherChain(
    56,
    {
      difficulty: '0x2',
      totalDifficulty: '0x4b2a',
      extraData: `0x${'d8'.repeat(97)}`,
      milliTimestamp: '0x18e',
    },
    { type: '0x0', gasPrice: '0x3b9aca00', v: '0x93', r: h('08'), s: h('09') },
  ),
  'the gas limit of Arbitrum': otherChain(
    42_161,
    {
      gasLimit: '0x4000000000000',
      difficulty: '0x1',
      l1BlockNumber: '0x12ab',
      sendCount: '0x1b',
      sendRoot: h('0a'),
      nonce: '0x00000000001e1a2b',
    },
    { type: '0x6a', requestId: null, gasPrice: '0x0', gas: '0x0', v: '0x0', r: '0x0', s: '0x0' },
    { type: '0x6a', gasUsedForL1: '0x0', l1BlockNumber: '0x12ab' },
  ),
}

/** A node whose head is the block; all accounts have code, and slots are short words. */
export function nodeOf({ chainId, block, transaction, receipt }: OtherChain) {
  const state: Readonly<Record<string, unknown>> = {
    eth_getBalance: '0x0',
    eth_getTransactionCount: '0x0',
    eth_getCode: '0x00',
    eth_getStorageAt: '0x2a',
  }
  const toBlock = (full: unknown) => ({ ...block, transactions: full ? [transaction] : [transaction.hash] })
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    net_version: () => `${chainId}`,
    eth_blockNumber: () => block.number,
    eth_getBlockByNumber: ([number, full]) =>
      number === block.number || number === 'latest' ? toBlock(full) : null,
    eth_getBlockByHash: ([hash, full]) => (hash === block.hash ? toBlock(full) : null),
    eth_getTransactionByHash: ([hash]) => (hash === transaction.hash ? transaction : null),
    eth_getTransactionReceipt: ([hash]) => (hash === transaction.hash ? receipt : null),
    eth_getBlockReceipts: () => [receipt],
  }
  return {
    async request({ method, params }: RemoteCall): Promise<unknown> {
      if (method in state) return state[method]
      const answer = answers[method]
      if (answer === undefined) {
        throw Object.assign(new Error(`the method ${method} does not exist`), { code: -32601 })
      }
      return answer(params)
    },
  }
}
