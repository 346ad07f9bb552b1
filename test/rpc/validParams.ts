/** Valid params of each method. */
import { parseGwei } from 'viem'
import { probeCall, type Scene, sign, tokenCall, UNKNOWN } from './scene.ts'

const TYPED = {
  types: { Vote: [{ name: 'yes', type: 'bool' }] },
  primaryType: 'Vote',
  domain: { name: 'votes' },
  message: { yes: true },
}

/** Well-formed params of each method, which it can refuse only because of the chain's state. */
export async function validParams({
  chain,
  accounts,
  token,
  probe,
  first,
  snapshot,
  waiting,
}: Scene): Promise<Record<string, unknown[][]>> {
  const [alice, bob, carol] = accounts
  const call = { from: bob, to: token, data: tokenCall('transfer', [alice, 1n]), gas: '0x186a0' }
  const context = { to: probe, data: probeCall('context') }
  const blocks = [
    'latest',
    'pending',
    'earliest',
    '0x1',
    { blockHash: first.block.hash },
    snapshot.block.hash,
  ]
  const hashes = [first.block.hash, snapshot.block.hash, UNKNOWN]
  const transactions = [
    first.block.transactions[0]!.hash,
    snapshot.block.transactions[0]!.hash,
    waiting,
    UNKNOWN,
  ]
  const raws = await Promise.all([
    sign(chain, 6, { nonce: 0, to: alice! }),
    sign(chain, 6, { nonce: 1, to: probe, data: probeCall('set', [5n, 5n]) }),
    sign(chain, 7, { nonce: 0, to: alice!, gasPrice: parseGwei('5') }),
    sign(chain, 8, { nonce: 7, to: alice! }),
  ])
  const attributes = {
    timestamp: '0x77359400',
    prevRandao: UNKNOWN,
    suggestedFeeRecipient: alice,
    withdrawals: [{ index: '0x0', validatorIndex: '0x1', address: bob, amount: '0x5' }],
    parentBeaconBlockRoot: UNKNOWN,
  }
  const range = { fromBlock: '0x0', toBlock: 'pending' }
  const each = (values: readonly unknown[], ...before: unknown[]) => values.map((value) => [...before, value])
  return {
    anvil_addBalance: [[UNKNOWN_ACCOUNT, '0x1']],
    anvil_dropTransaction: each(transactions),
    anvil_mine: [['0x2', '0x3']],
    anvil_setBalance: [[UNKNOWN_ACCOUNT, '0x1']],
    anvil_setBlockTimestampInterval: [['0x2']],
    anvil_setCode: [[UNKNOWN_ACCOUNT, '0x6001']],
    anvil_setCoinbase: [[alice]],
    anvil_setNonce: [[UNKNOWN_ACCOUNT, '0x1']],
    anvil_setPrevRandao: [['0x1']],
    anvil_setStorageAt: [[UNKNOWN_ACCOUNT, '0x1', '0x2']],
    chain_transactionStatus: each(transactions),
    base_transactionStatus: each(transactions),
    eth_call: [
      ...each(blocks, call),
      ...each(blocks, context),
      [
        context,
        'latest',
        { [token]: { balance: '0x1', code: '0x00', stateDiff: { '0x1': '0x2' } } },
        { number: '0x9' },
      ],
      [{ data: '0x600060005360016000f3' }],
    ],
    debug_getRawBlock: each(blocks),
    debug_getRawHeader: each(blocks),
    debug_getRawReceipts: each(blocks),
    debug_getRawTransaction: each(transactions),
    debug_traceBlock: [
      [
        await chain.standard.request({ method: 'debug_getRawBlock', params: ['0x2'] }),
        { tracer: 'callTracer' },
      ],
    ],
    debug_traceBlockByHash: hashes.map((hash) => [hash, { tracer: 'callTracer' }]),
    debug_traceBlockByNumber: [['latest'], ['pending', { tracer: '4byteTracer' }]],
    debug_traceCall: [
      ...each(blocks, call),
      [context, '0x1', { txIndex: 1, tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
      [context, 'pending', { enableMemory: true, limit: 9, stateOverrides: { [token]: { balance: '0x1' } } }],
    ],
    debug_traceTransaction: [
      ...each(transactions),
      [snapshot.block.transactions[1]!.hash, { tracer: 'muxTracer', tracerConfig: { callTracer: {} } }],
    ],
    trace_block: each(blocks),
    trace_filter: [[{}], [{ fromBlock: '0x1', toBlock: 'pending', toAddress: [token], after: 1, count: 1 }]],
    trace_get: transactions.map((hash) => [hash, []]),
    trace_transaction: each(transactions),
    erigon_getHeaderByNumber: [['latest'], ['pending'], [1]],
    ots_getBlockDetails: [['latest'], ['pending'], [1]],
    ots_getBlockDetailsByHash: each(hashes),
    ots_getBlockTransactions: [
      [1, 0, 2],
      ['0x1', '0x1', '0x2'],
      ['pending', 0, 25],
    ],
    ots_getContractCreator: each([token, probe, alice]),
    ots_getInternalOperations: each(transactions),
    ots_getTransactionBySenderAndNonce: each([1, '0x0', 9], alice),
    ots_getTransactionError: each(transactions),
    ots_hasCode: [...each(blocks, token), [alice]],
    ots_searchTransactionsAfter: [
      [token, 0, 25],
      [alice, '0x1', 1],
    ],
    ots_searchTransactionsBefore: [
      [alice, 0, 2],
      [probe, '0x3', 1],
    ],
    ots_traceTransaction: each(transactions),
    testing_buildBlockV1: [
      [first.block.hash, attributes, [], '0x1234'],
      [snapshot.block.hash, attributes, raws.slice(0, 1)],
      [snapshot.block.hash, { ...attributes, withdrawals: [] }, null],
    ],
    eth_createAccessList: [
      ...each(blocks, call),
      [context, 'pending', { [token]: { balance: '0x1', stateDiff: { '0x1': '0x2' } } }],
    ],
    eth_fillTransaction: [
      [call],
      [{ from: bob, to: alice, value: '0x1' }],
      [{ from: bob, to: alice, type: '0x1', gasPrice: '0x77359400' }],
    ],
    eth_getProof: each(blocks, probe, ['0x7', UNKNOWN]),
    eth_getStorageValues: each(blocks, { [probe]: ['0x7'], [token]: ['0x0', UNKNOWN] }),
    eth_getTransactionBySenderAndNonce: each(['0x0', '0x1', '0x9'], alice),
    eth_getUncleByBlockHashAndIndex: [[first.block.hash, '0x0']],
    eth_getUncleByBlockNumberAndIndex: [['pending', '0x0']],
    eth_getUncleCountByBlockHash: each(hashes),
    eth_getUncleCountByBlockNumber: [['latest'], ['pending']],
    eth_estimateGas: [...each(blocks, call), [{ to: alice, value: '0x1', gas: '0x5208' }]],
    eth_feeHistory: [
      ['0x2', 'latest', [1, 50]],
      [1, 'pending', []],
    ],
    eth_getBalance: each(blocks, alice),
    eth_getBlockByHash: hashes.map((hash) => [hash, true]),
    eth_getBlockByNumber: [
      ['latest', true],
      ['pending', false],
      ['0x9', false],
    ],
    eth_getBlockReceipts: each(blocks),
    eth_getBlockTransactionCountByHash: each(hashes),
    eth_getBlockTransactionCountByNumber: [['latest'], ['pending']],
    eth_getCode: each(blocks, token),
    eth_getFilterChanges: each(['0x1', '0x2', '0x3', '0x63']),
    eth_getFilterLogs: each(['0x1', '0x2', '0x63']),
    eth_getLogs: [
      [range],
      [{ ...range, address: token, topics: [null, [UNKNOWN, null]] }],
      [{ blockHash: first.block.hash }],
    ],
    eth_getRawTransactionByHash: each(transactions),
    eth_getStorageAt: each(blocks, probe, '0x7'),
    eth_getTransactionByBlockHashAndIndex: [[first.block.hash, '0x0']],
    eth_getTransactionByBlockNumberAndIndex: [['pending', '0x1']],
    eth_getTransactionByHash: each(transactions),
    eth_getTransactionCount: each(blocks, alice),
    eth_getTransactionReceipt: each(transactions),
    eth_newFilter: [[range], [{}]],
    eth_sendTransaction: [[{ from: bob, to: alice, value: '0x1' }], [{ ...call, gasPrice: '0x77359400' }]],
    eth_sendUnsignedTransaction: [[{ from: token, to: alice, gas: '0x5208' }], [{ ...call, from: alice }]],
    eth_sign: [[alice, '0x1234']],
    eth_signTransaction: [[call]],
    eth_signTypedData_v4: [
      [alice, TYPED],
      [alice, JSON.stringify(TYPED)],
    ],
    personal_sign: [
      ['0x1234', alice],
      ['0x', bob, 'password'],
    ],
    anvil_autoImpersonateAccount: [[true], [false]],
    anvil_impersonateAccount: [[token]],
    anvil_stopImpersonatingAccount: [[token]],
    eth_sendRawTransaction: each(raws),
    // Under the manual clock, a timeout above 0 would never pass.
    eth_sendRawTransactionSync: [[raws[3], '0x0']],
    eth_sendTransactionSync: [[{ from: carol, to: alice, nonce: '0x9' }, '0x0']],
    eth_subscribe: [
      ['newHeads'],
      ['logs', { address: token }],
      ['newPreconfTransactions', true],
      ['newPreconfBlocks'],
    ],
    evm_increaseTime: [['0x5']],
    evm_mine: [[], [{ blocks: '0x2' }]],
    evm_revert: [['0x1']],
    hardhat_mine: [['0x2', '0x3']],
    eth_uninstallFilter: each(['0x1', '0x2']),
    eth_unsubscribe: each(['0x1', '0x2']),
    txpool_contentFrom: [[alice]],
    wallet_addEthereumChain: [
      [{ chainId: '0x7a69', chainName: 'preseal', rpcUrls: ['http://127.0.0.1:8545'] }],
    ],
    wallet_requestPermissions: [[{ eth_accounts: {} }]],
    wallet_revokePermissions: [[{ eth_accounts: {} }]],
    wallet_switchEthereumChain: [[{ chainId: '0x7a69' }], [{ chainId: '0x1' }]],
    web3_sha3: [['0x00']],
  }
}

/** An account that no other request uses. */
const UNKNOWN_ACCOUNT = `0x${'ee'.repeat(20)}`
