/** Valid params of each method, with which random requests begin. */
import { parseGwei } from 'viem'
import { methods } from '../../src/rpc/table.ts'
import { exampleParams } from './exampleParams.ts'
import type { ValidParams } from './randomRequests.ts'
import { probeCall, type Scene, sign, tokenCall, UNKNOWN } from './scene.ts'

/** Their examples replace the chain, or have it connect to a node. */
const LEFT_OUT = ['anvil_loadState', 'anvil_setRpcUrl']

/** Well-formed params of each method under each of its names, which it can refuse only because of the chain's state. */
export async function validParams(scene: Scene): Promise<ValidParams> {
  const [examples, variants] = [await exampleParams(scene, scene.chain.preconf), await variantsOf(scene)]
  const valid: Record<string, readonly unknown[][]> = {}
  for (const [name, params] of Object.entries(examples)) {
    if (LEFT_OUT.includes(name)) continue
    const all = [[...params], ...(variants[name] ?? [])]
    for (const one of [name, ...(methods.get(name)!.aliases ?? [])]) valid[one] = all
  }
  return valid
}

/** Params of other forms than the example, where these reach other code. */
async function variantsOf({
  chain,
  accounts,
  token,
  probe,
  first,
  preconfBlock,
  waiting,
}: Scene): Promise<Readonly<Record<string, unknown[][]>>> {
  const [alice, bob, carol] = accounts
  const call = { from: bob, to: token, data: tokenCall('transfer', [alice, 1n]), gas: '0x186a0' }
  const context = { to: probe, data: probeCall('context') }
  const blocks = ['pending', 'earliest', '0x1', { blockHash: first.block.hash }, preconfBlock.block.hash]
  const hashes = [preconfBlock.block.hash, UNKNOWN]
  const transactions = [preconfBlock.block.transactions[0]!.hash, waiting, UNKNOWN]
  const raws = await Promise.all([
    sign(chain, 6, { nonce: 1, to: probe, data: probeCall('set', [5n, 5n]) }),
    sign(chain, 7, { nonce: 0, to: alice!, gasPrice: parseGwei('5') }),
    sign(chain, 8, { nonce: 7, to: alice! }),
  ])
  const attributes = {
    timestamp: '0x77359400',
    prevRandao: UNKNOWN,
    suggestedFeeRecipient: alice,
    withdrawals: [],
    parentBeaconBlockRoot: UNKNOWN,
  }
  const typed = {
    types: { Vote: [{ name: 'yes', type: 'bool' }] },
    primaryType: 'Vote',
    domain: { name: 'votes' },
    message: { yes: true },
  }
  const each = (values: readonly unknown[], ...before: unknown[]) => values.map((value) => [...before, value])
  return {
    anvil_autoImpersonateAccount: [[false]],
    anvil_dropTransaction: each(transactions),
    chain_transactionStatus: each(transactions),
    debug_getRawBlock: each(blocks),
    debug_getRawHeader: each(blocks),
    debug_getRawReceipts: each(blocks),
    debug_getRawTransaction: each(transactions),
    debug_traceBlockByHash: hashes.map((hash) => [hash, { tracer: 'callTracer' }]),
    debug_traceBlockByNumber: [['pending', { tracer: '4byteTracer' }]],
    debug_traceCall: [
      ...each(['latest', ...blocks], call),
      [context, '0x1', { txIndex: 1, tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
      [context, 'pending', { enableMemory: true, limit: 9, stateOverrides: { [token]: { balance: '0x1' } } }],
    ],
    debug_traceTransaction: [
      ...each(transactions),
      [preconfBlock.block.transactions[1]!.hash, { tracer: 'muxTracer', tracerConfig: { callTracer: {} } }],
    ],
    erigon_getHeaderByNumber: [['pending'], [1]],
    eth_call: [
      ...each(blocks, call),
      ...each(['latest', ...blocks], context),
      [
        context,
        'latest',
        { [token]: { balance: '0x1', code: '0x00', stateDiff: { '0x1': '0x2' } } },
        { number: '0x9' },
      ],
      [{ data: '0x600060005360016000f3' }],
    ],
    eth_createAccessList: [
      ...each(blocks, call),
      [context, 'pending', { [token]: { balance: '0x1', stateDiff: { '0x1': '0x2' } } }],
    ],
    eth_estimateGas: [...each(blocks, call), [{ to: alice, value: '0x1', gas: '0x5208' }]],
    eth_feeHistory: [[1, 'pending', []]],
    eth_fillTransaction: [
      [{ from: bob, to: alice, value: '0x1' }],
      [{ from: bob, to: alice, type: '0x1', gasPrice: '0x77359400' }],
    ],
    eth_getBalance: each(blocks, alice),
    eth_getBlockByHash: hashes.map((hash) => [hash, true]),
    eth_getBlockByNumber: [
      ['pending', false],
      ['0x9', false],
    ],
    eth_getBlockReceipts: each(blocks),
    eth_getBlockTransactionCountByHash: each(hashes),
    eth_getBlockTransactionCountByNumber: [['pending']],
    eth_getCode: each(blocks, token),
    eth_getFilterChanges: each(['0x2', '0x3', '0x63']),
    eth_getFilterLogs: each(['0x2', '0x63']),
    eth_getLogs: [
      [{ fromBlock: '0x0', toBlock: 'pending', address: token, topics: [null, [UNKNOWN, null]] }],
      [{ blockHash: first.block.hash }],
    ],
    eth_getProof: each(blocks, probe, ['0x7', UNKNOWN]),
    eth_getRawTransactionByHash: each(transactions),
    eth_getStorageAt: each(blocks, probe, '0x7'),
    eth_getStorageValues: each(blocks, { [probe]: ['0x7'], [token]: ['0x0', UNKNOWN] }),
    eth_getTransactionByHash: each(transactions),
    eth_getTransactionBySenderAndNonce: each(['0x1', '0x9'], alice),
    eth_getTransactionCount: each(blocks, alice),
    eth_getTransactionReceipt: each(transactions),
    eth_getUncleCountByBlockHash: each(hashes),
    eth_getUncleCountByBlockNumber: [['pending']],
    eth_newFilter: [[{}]],
    eth_sendRawTransaction: each(raws),
    eth_sendRawTransactionSync: [[raws[2]]],
    eth_sendTransaction: [[{ ...call, gasPrice: '0x77359400' }]],
    eth_sendTransactionSync: [[{ from: carol, to: alice, nonce: '0x9' }]],
    eth_sendUnsignedTransaction: [[{ from: token, to: alice, gas: '0x5208' }], [{ ...call, from: alice }]],
    eth_signTypedData_v4: [[alice, JSON.stringify(typed)]],
    eth_subscribe: [['logs', { address: token }], ['newPreconfTransactions', true], ['newPreconfBlocks']],
    eth_uninstallFilter: [['0x2']],
    eth_unsubscribe: [['0x2']],
    evm_mine: [[{ blocks: '0x2' }]],
    ots_getBlockDetails: [['pending'], [1]],
    ots_getBlockDetailsByHash: each(hashes),
    ots_getBlockTransactions: [
      ['0x1', '0x1', '0x2'],
      ['pending', 0, 25],
    ],
    ots_getContractCreator: each([probe, alice]),
    ots_getInternalOperations: each(transactions),
    ots_getTransactionBySenderAndNonce: each(['0x0', 9], alice),
    ots_getTransactionError: each(transactions),
    ots_hasCode: [...each(blocks, token), [alice]],
    ots_searchTransactionsAfter: [[alice, '0x1', 1]],
    ots_searchTransactionsBefore: [[probe, '0x3', 1]],
    ots_traceTransaction: each(transactions),
    personal_sign: [['0x', bob, 'password']],
    testing_buildBlockV1: [
      [preconfBlock.block.hash, attributes, raws.slice(0, 1)],
      [preconfBlock.block.hash, attributes, null],
    ],
    trace_block: each(blocks),
    trace_filter: [[{ fromBlock: '0x1', toBlock: 'pending', toAddress: [token], after: 1, count: 1 }]],
    trace_get: transactions.map((hash) => [hash, []]),
    trace_transaction: each(transactions),
    wallet_switchEthereumChain: [[{ chainId: '0x1' }]],
  }
}
