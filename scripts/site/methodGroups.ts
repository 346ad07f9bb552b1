/** The methods by topic, with what they answer on each view; the index of the methods and their pages show it. */

/** Methods of one topic that answer alike on both views. */
interface MethodRow {
  readonly names: readonly string[]
  /** What the standard view answers from; undefined if both views answer alike. */
  readonly standard?: string
  readonly preconf?: string
}

/** A topic. */
export interface MethodGroup {
  readonly title: string
  readonly rows: readonly MethodRow[]
}

/** Where methods of one block answer from. */
const BLOCK = {
  standard: '`pending` is empty, without number and hash',
  preconf: '`pending` is the snapshot',
}
const STATE = { standard: "`pending` is the head's state", preconf: '`pending` is the snapshot' }
const SEALED_OR_SNAPSHOT = {
  standard: 'sealed blocks',
  preconf: 'sealed blocks, and `pending` is the snapshot',
}
const TRANSACTIONS = { standard: 'sealed transactions', preconf: 'sealed and pre-confirmed transactions' }
const ESTIMATES = { standard: "estimates on the head's state", preconf: 'estimates on the snapshot' }
const RECEIPT = { standard: 'the sealed receipt', preconf: 'the pre-confirmed receipt' }

/** All methods of the table, each by the first of its names. */
export const METHOD_GROUPS: readonly MethodGroup[] = [
  {
    title: 'Chain and node',
    rows: [
      {
        names: [
          'eth_blockNumber',
          'eth_chainId',
          'eth_coinbase',
          'eth_mining',
          'eth_syncing',
          'eth_capabilities',
          'net_listening',
          'net_version',
          'web3_clientVersion',
          'web3_sha3',
        ],
      },
      { names: ['eth_config'], standard: 'the fork of the head', preconf: 'the fork of the snapshot' },
    ],
  },
  {
    title: 'Blocks',
    rows: [
      {
        names: [
          'eth_getBlockByHash',
          'eth_getBlockByNumber',
          'eth_getBlockReceipts',
          'eth_getBlockTransactionCountByHash',
          'eth_getBlockTransactionCountByNumber',
          'eth_getTransactionByBlockHashAndIndex',
          'eth_getTransactionByBlockNumberAndIndex',
          'eth_getUncleByBlockHashAndIndex',
          'eth_getUncleByBlockNumberAndIndex',
          'eth_getUncleCountByBlockHash',
          'eth_getUncleCountByBlockNumber',
        ],
        ...BLOCK,
      },
      { names: ['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts'], ...SEALED_OR_SNAPSHOT },
      {
        names: ['testing_buildBlockV1'],
        standard: 'builds on sealed blocks',
        preconf: 'builds on sealed blocks and snapshots',
      },
    ],
  },
  {
    title: 'State and calls',
    rows: [
      {
        names: [
          'eth_call',
          'eth_createAccessList',
          'eth_estimateGas',
          'eth_getBalance',
          'eth_getCode',
          'eth_getProof',
          'eth_getStorageAt',
          'eth_getStorageValues',
        ],
        ...STATE,
      },
      {
        names: ['eth_getTransactionCount'],
        standard: '`pending` counts the mempool',
        preconf: '`pending` counts what is pre-confirmed',
      },
      {
        names: ['eth_simulateV1'],
        standard: 'in the `geth` dialect only',
        preconf: '`pending` follows the snapshot',
      },
    ],
  },
  {
    title: 'Transactions',
    rows: [
      {
        names: [
          'debug_getRawTransaction',
          'eth_getRawTransactionByHash',
          'eth_getTransactionByHash',
          'eth_getTransactionBySenderAndNonce',
          'eth_getTransactionReceipt',
        ],
        ...TRANSACTIONS,
      },
      {
        names: ['chain_transactionStatus'],
        standard: 'never shows what is not sealed',
        preconf: 'all stages',
      },
      { names: ['eth_sendRawTransaction'] },
      {
        names: [
          'eth_fillTransaction',
          'eth_sendTransaction',
          'eth_sendUnsignedTransaction',
          'eth_signTransaction',
        ],
        ...ESTIMATES,
      },
      { names: ['eth_sendRawTransactionSync', 'eth_sendTransactionSync'], ...RECEIPT },
    ],
  },
  {
    title: 'Fees',
    rows: [
      {
        names: [
          'eth_baseFee',
          'eth_blobBaseFee',
          'eth_feeHistory',
          'eth_gasPrice',
          'eth_maxPriorityFeePerGas',
        ],
      },
    ],
  },
  {
    title: 'Logs, filters and subscriptions',
    rows: [
      {
        names: ['eth_getLogs', 'eth_newFilter'],
        standard: 'sealed logs',
        preconf: 'a range may end in `pending`',
      },
      {
        names: [
          'eth_getFilterChanges',
          'eth_getFilterLogs',
          'eth_newBlockFilter',
          'eth_newPendingTransactionFilter',
          'eth_uninstallFilter',
          'eth_unsubscribe',
        ],
      },
      {
        names: ['eth_subscribe'],
        standard: '`newHeads`, `logs`, `newPendingTransactions`',
        preconf:
          'also `newPreconfTransactions` (`newFlashblockTransactions`), `pendingLogs`, `newPreconfBlocks` (`newFlashblocks`)',
      },
    ],
  },
  {
    title: 'Mempool',
    rows: [
      {
        names: [
          'eth_pendingTransactions',
          'txpool_content',
          'txpool_contentFrom',
          'txpool_inspect',
          'txpool_status',
        ],
      },
    ],
  },
  {
    title: 'Accounts and signing',
    rows: [
      {
        names: ['eth_accounts', 'eth_requestAccounts', 'eth_sign', 'eth_signTypedData_v4', 'personal_sign'],
      },
    ],
  },
  {
    title: 'Wallet',
    rows: [
      {
        names: [
          'wallet_addEthereumChain',
          'wallet_getCapabilities',
          'wallet_getPermissions',
          'wallet_requestPermissions',
          'wallet_revokePermissions',
          'wallet_sendCalls',
          'wallet_showCallsStatus',
          'wallet_switchEthereumChain',
          'wallet_watchAsset',
        ],
      },
      {
        names: ['wallet_getCallsStatus'],
        standard: '200 once the batch is sealed',
        preconf: '200 once the batch is pre-confirmed',
      },
    ],
  },
  {
    title: 'Tracing',
    rows: [
      { names: ['debug_traceCall'], ...STATE },
      { names: ['debug_traceTransaction', 'trace_get', 'trace_transaction'], ...TRANSACTIONS },
      {
        names: ['debug_traceBlockByHash', 'debug_traceBlockByNumber', 'trace_block', 'trace_filter'],
        ...SEALED_OR_SNAPSHOT,
      },
      {
        names: ['debug_traceBlock'],
        standard: 'on sealed blocks',
        preconf: 'on sealed blocks and snapshots',
      },
    ],
  },
  {
    title: 'Otterscan',
    rows: [
      {
        names: [
          'erigon_getHeaderByNumber',
          'ots_getApiLevel',
          'ots_getBlockDetails',
          'ots_getBlockDetailsByHash',
          'ots_getBlockTransactions',
          'ots_getContractCreator',
          'ots_hasCode',
        ],
        ...SEALED_OR_SNAPSHOT,
      },
      {
        names: [
          'ots_getInternalOperations',
          'ots_getTransactionBySenderAndNonce',
          'ots_getTransactionError',
          'ots_searchTransactionsAfter',
          'ots_searchTransactionsBefore',
          'ots_traceTransaction',
        ],
        ...TRANSACTIONS,
      },
    ],
  },
  {
    title: 'Dev chain: mining and time',
    rows: [
      {
        names: [
          'anvil_getAutomine',
          'anvil_getIntervalMining',
          'anvil_mine',
          'anvil_removeBlockTimestampInterval',
          'anvil_setBlockTimestampInterval',
          'anvil_setIntervalMining',
          'evm_increaseTime',
          'evm_mine',
          'evm_setAutomine',
          'evm_setIntervalMining',
          'evm_setNextBlockTimestamp',
          'evm_setTime',
          'hardhat_mine',
          'hardhat_setBlockTimestampInterval',
          'miner_start',
          'miner_stop',
        ],
      },
    ],
  },
  {
    title: 'Dev chain: accounts and state',
    rows: [
      {
        names: [
          'anvil_addBalance',
          'anvil_autoImpersonateAccount',
          'anvil_dealERC20',
          'anvil_impersonateAccount',
          'anvil_setBalance',
          'anvil_setCode',
          'anvil_setERC20Allowance',
          'anvil_setNonce',
          'anvil_setStorageAt',
          'anvil_stopImpersonatingAccount',
        ],
      },
    ],
  },
  {
    title: 'Dev chain: blocks to come',
    rows: [
      {
        names: [
          'anvil_setChainId',
          'anvil_setCoinbase',
          'anvil_setMinGasPrice',
          'anvil_setNextBlockBaseFeePerGas',
          'anvil_setPrevRandao',
          'evm_setBlockGasLimit',
        ],
      },
    ],
  },
  {
    title: 'Dev chain: snapshots, reorgs, state files',
    rows: [
      {
        names: [
          'anvil_dumpState',
          'anvil_loadState',
          'anvil_reorg',
          'anvil_reset',
          'anvil_rollback',
          'anvil_setRpcUrl',
          'evm_revert',
          'evm_snapshot',
        ],
      },
    ],
  },
  {
    title: 'Dev chain: mempool and node',
    rows: [
      {
        names: [
          'anvil_dropAllTransactions',
          'anvil_dropTransaction',
          'anvil_metadata',
          'anvil_nodeInfo',
          'anvil_removePoolTransactions',
          'anvil_setLoggingEnabled',
          'hardhat_dropTransaction',
          'hardhat_metadata',
        ],
      },
    ],
  },
]
