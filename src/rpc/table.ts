/** Every method of the wire, by name. The types of `request` are read off this table. */

import { CHEATS } from './cheats.ts'
import type { SchemaOf } from './method.ts'
import { chain_transactionStatus } from './methods/chain_transactionStatus.ts'
import { debug_getRawBlock } from './methods/debug_getRawBlock.ts'
import { debug_getRawHeader } from './methods/debug_getRawHeader.ts'
import { debug_getRawReceipts } from './methods/debug_getRawReceipts.ts'
import { debug_getRawTransaction } from './methods/debug_getRawTransaction.ts'
import { debug_traceBlockByHash } from './methods/debug_traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './methods/debug_traceBlockByNumber.ts'
import { debug_traceCall } from './methods/debug_traceCall.ts'
import { debug_traceTransaction } from './methods/debug_traceTransaction.ts'
import { eth_accounts } from './methods/eth_accounts.ts'
import { eth_baseFee } from './methods/eth_baseFee.ts'
import { eth_blobBaseFee } from './methods/eth_blobBaseFee.ts'
import { eth_blockNumber } from './methods/eth_blockNumber.ts'
import { eth_call } from './methods/eth_call.ts'
import { eth_chainId } from './methods/eth_chainId.ts'
import { eth_coinbase } from './methods/eth_coinbase.ts'
import { eth_createAccessList } from './methods/eth_createAccessList.ts'
import { eth_estimateGas } from './methods/eth_estimateGas.ts'
import { eth_feeHistory } from './methods/eth_feeHistory.ts'
import { eth_fillTransaction } from './methods/eth_fillTransaction.ts'
import { eth_gasPrice } from './methods/eth_gasPrice.ts'
import { eth_getBalance } from './methods/eth_getBalance.ts'
import { eth_getBlockByHash } from './methods/eth_getBlockByHash.ts'
import { eth_getBlockByNumber } from './methods/eth_getBlockByNumber.ts'
import { eth_getBlockReceipts } from './methods/eth_getBlockReceipts.ts'
import { eth_getBlockTransactionCountByHash } from './methods/eth_getBlockTransactionCountByHash.ts'
import { eth_getBlockTransactionCountByNumber } from './methods/eth_getBlockTransactionCountByNumber.ts'
import { eth_getCode } from './methods/eth_getCode.ts'
import { eth_getFilterChanges } from './methods/eth_getFilterChanges.ts'
import { eth_getFilterLogs } from './methods/eth_getFilterLogs.ts'
import { eth_getLogs } from './methods/eth_getLogs.ts'
import { eth_getProof } from './methods/eth_getProof.ts'
import { eth_getRawTransactionByHash } from './methods/eth_getRawTransactionByHash.ts'
import { eth_getStorageAt } from './methods/eth_getStorageAt.ts'
import { eth_getStorageValues } from './methods/eth_getStorageValues.ts'
import { eth_getTransactionByBlockHashAndIndex } from './methods/eth_getTransactionByBlockHashAndIndex.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './methods/eth_getTransactionByBlockNumberAndIndex.ts'
import { eth_getTransactionByHash } from './methods/eth_getTransactionByHash.ts'
import { eth_getTransactionBySenderAndNonce } from './methods/eth_getTransactionBySenderAndNonce.ts'
import { eth_getTransactionCount } from './methods/eth_getTransactionCount.ts'
import { eth_getTransactionReceipt } from './methods/eth_getTransactionReceipt.ts'
import { eth_getUncleByBlockHashAndIndex } from './methods/eth_getUncleByBlockHashAndIndex.ts'
import { eth_getUncleByBlockNumberAndIndex } from './methods/eth_getUncleByBlockNumberAndIndex.ts'
import { eth_getUncleCountByBlockHash } from './methods/eth_getUncleCountByBlockHash.ts'
import { eth_getUncleCountByBlockNumber } from './methods/eth_getUncleCountByBlockNumber.ts'
import { eth_maxPriorityFeePerGas } from './methods/eth_maxPriorityFeePerGas.ts'
import { eth_mining } from './methods/eth_mining.ts'
import { eth_newBlockFilter } from './methods/eth_newBlockFilter.ts'
import { eth_newFilter } from './methods/eth_newFilter.ts'
import { eth_newPendingTransactionFilter } from './methods/eth_newPendingTransactionFilter.ts'
import { eth_pendingTransactions } from './methods/eth_pendingTransactions.ts'
import { eth_requestAccounts } from './methods/eth_requestAccounts.ts'
import { eth_sendRawTransaction } from './methods/eth_sendRawTransaction.ts'
import { eth_sendRawTransactionSync } from './methods/eth_sendRawTransactionSync.ts'
import { eth_sendTransaction } from './methods/eth_sendTransaction.ts'
import { eth_sendTransactionSync } from './methods/eth_sendTransactionSync.ts'
import { eth_sendUnsignedTransaction } from './methods/eth_sendUnsignedTransaction.ts'
import { eth_sign } from './methods/eth_sign.ts'
import { eth_signTransaction } from './methods/eth_signTransaction.ts'
import { eth_signTypedData_v4 } from './methods/eth_signTypedData_v4.ts'
import { eth_simulateV1 } from './methods/eth_simulateV1.ts'
import { eth_subscribe } from './methods/eth_subscribe.ts'
import { eth_syncing } from './methods/eth_syncing.ts'
import { eth_uninstallFilter } from './methods/eth_uninstallFilter.ts'
import { eth_unsubscribe } from './methods/eth_unsubscribe.ts'
import { net_listening } from './methods/net_listening.ts'
import { net_version } from './methods/net_version.ts'
import { personal_sign } from './methods/personal_sign.ts'
import { trace_block } from './methods/trace_block.ts'
import { trace_filter } from './methods/trace_filter.ts'
import { trace_get } from './methods/trace_get.ts'
import { trace_transaction } from './methods/trace_transaction.ts'
import { txpool_content } from './methods/txpool_content.ts'
import { txpool_contentFrom } from './methods/txpool_contentFrom.ts'
import { txpool_inspect } from './methods/txpool_inspect.ts'
import { txpool_status } from './methods/txpool_status.ts'
import { wallet_addEthereumChain } from './methods/wallet_addEthereumChain.ts'
import { wallet_getCallsStatus } from './methods/wallet_getCallsStatus.ts'
import { wallet_getCapabilities } from './methods/wallet_getCapabilities.ts'
import { wallet_getPermissions } from './methods/wallet_getPermissions.ts'
import { wallet_requestPermissions } from './methods/wallet_requestPermissions.ts'
import { wallet_revokePermissions } from './methods/wallet_revokePermissions.ts'
import { wallet_sendCalls } from './methods/wallet_sendCalls.ts'
import { wallet_showCallsStatus } from './methods/wallet_showCallsStatus.ts'
import { wallet_switchEthereumChain } from './methods/wallet_switchEthereumChain.ts'
import { wallet_watchAsset } from './methods/wallet_watchAsset.ts'
import { web3_clientVersion } from './methods/web3_clientVersion.ts'
import { web3_sha3 } from './methods/web3_sha3.ts'

/** The methods both views serve. */
export const METHODS = {
  ...CHEATS,
  chain_transactionStatus,
  debug_getRawBlock,
  debug_getRawHeader,
  debug_getRawReceipts,
  debug_getRawTransaction,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  eth_accounts,
  eth_baseFee,
  eth_blobBaseFee,
  eth_blockNumber,
  eth_call,
  eth_chainId,
  eth_coinbase,
  eth_createAccessList,
  eth_estimateGas,
  eth_feeHistory,
  eth_fillTransaction,
  eth_gasPrice,
  eth_getBalance,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getBlockReceipts,
  eth_getBlockTransactionCountByHash,
  eth_getBlockTransactionCountByNumber,
  eth_getCode,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_getLogs,
  eth_getProof,
  eth_getRawTransactionByHash,
  eth_getStorageAt,
  eth_getStorageValues,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionBySenderAndNonce,
  eth_getTransactionCount,
  eth_getTransactionReceipt,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
  eth_maxPriorityFeePerGas,
  eth_mining,
  eth_newBlockFilter,
  eth_newFilter,
  eth_newPendingTransactionFilter,
  eth_pendingTransactions,
  eth_requestAccounts,
  eth_sendRawTransaction,
  eth_sendRawTransactionSync,
  eth_sendTransaction,
  eth_sendTransactionSync,
  eth_sendUnsignedTransaction,
  eth_sign,
  eth_signTransaction,
  eth_signTypedData_v4,
  eth_simulateV1,
  eth_subscribe,
  eth_syncing,
  eth_uninstallFilter,
  eth_unsubscribe,
  net_listening,
  net_version,
  personal_sign,
  trace_block,
  trace_filter,
  trace_get,
  trace_transaction,
  txpool_content,
  txpool_contentFrom,
  txpool_inspect,
  txpool_status,
  wallet_addEthereumChain,
  wallet_getCallsStatus,
  wallet_getCapabilities,
  wallet_getPermissions,
  wallet_requestPermissions,
  wallet_revokePermissions,
  wallet_sendCalls,
  wallet_showCallsStatus,
  wallet_switchEthereumChain,
  wallet_watchAsset,
  web3_clientVersion,
  web3_sha3,
  /** The name OP-Stack nodes give it. */
  base_transactionStatus: chain_transactionStatus,
} as const

/** What `request` takes and gives, by method. */
export type RpcSchema = SchemaOf<typeof METHODS>
