/** All RPC methods by name; `npm run methods` writes this file. The types of `request` are derived from the table. */

import { type RunnableMethod, type SchemaOf, withAliases } from './method.ts'
import { anvil_addBalance } from './methods/anvil_addBalance.ts'
import { anvil_autoImpersonateAccount } from './methods/anvil_autoImpersonateAccount.ts'
import { anvil_dealERC20 } from './methods/anvil_dealERC20.ts'
import { anvil_dropAllTransactions } from './methods/anvil_dropAllTransactions.ts'
import { anvil_dropTransaction } from './methods/anvil_dropTransaction.ts'
import { anvil_dumpState } from './methods/anvil_dumpState.ts'
import { anvil_getAutomine } from './methods/anvil_getAutomine.ts'
import { anvil_getIntervalMining } from './methods/anvil_getIntervalMining.ts'
import { anvil_impersonateAccount } from './methods/anvil_impersonateAccount.ts'
import { anvil_loadState } from './methods/anvil_loadState.ts'
import { anvil_metadata } from './methods/anvil_metadata.ts'
import { anvil_mine } from './methods/anvil_mine.ts'
import { anvil_nodeInfo } from './methods/anvil_nodeInfo.ts'
import { anvil_removeBlockTimestampInterval } from './methods/anvil_removeBlockTimestampInterval.ts'
import { anvil_removePoolTransactions } from './methods/anvil_removePoolTransactions.ts'
import { anvil_reorg } from './methods/anvil_reorg.ts'
import { anvil_reset } from './methods/anvil_reset.ts'
import { anvil_rollback } from './methods/anvil_rollback.ts'
import { anvil_setBalance } from './methods/anvil_setBalance.ts'
import { anvil_setBlockTimestampInterval } from './methods/anvil_setBlockTimestampInterval.ts'
import { anvil_setChainId } from './methods/anvil_setChainId.ts'
import { anvil_setCode } from './methods/anvil_setCode.ts'
import { anvil_setCoinbase } from './methods/anvil_setCoinbase.ts'
import { anvil_setERC20Allowance } from './methods/anvil_setERC20Allowance.ts'
import { anvil_setIntervalMining } from './methods/anvil_setIntervalMining.ts'
import { anvil_setLoggingEnabled } from './methods/anvil_setLoggingEnabled.ts'
import { anvil_setMinGasPrice } from './methods/anvil_setMinGasPrice.ts'
import { anvil_setNextBlockBaseFeePerGas } from './methods/anvil_setNextBlockBaseFeePerGas.ts'
import { anvil_setNonce } from './methods/anvil_setNonce.ts'
import { anvil_setPrevRandao } from './methods/anvil_setPrevRandao.ts'
import { anvil_setRpcUrl } from './methods/anvil_setRpcUrl.ts'
import { anvil_setStorageAt } from './methods/anvil_setStorageAt.ts'
import { anvil_stopImpersonatingAccount } from './methods/anvil_stopImpersonatingAccount.ts'
import { chain_transactionStatus } from './methods/chain_transactionStatus.ts'
import { debug_getRawBlock } from './methods/debug_getRawBlock.ts'
import { debug_getRawHeader } from './methods/debug_getRawHeader.ts'
import { debug_getRawReceipts } from './methods/debug_getRawReceipts.ts'
import { debug_getRawTransaction } from './methods/debug_getRawTransaction.ts'
import { debug_traceBlock } from './methods/debug_traceBlock.ts'
import { debug_traceBlockByHash } from './methods/debug_traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './methods/debug_traceBlockByNumber.ts'
import { debug_traceCall } from './methods/debug_traceCall.ts'
import { debug_traceTransaction } from './methods/debug_traceTransaction.ts'
import { erigon_getHeaderByNumber } from './methods/erigon_getHeaderByNumber.ts'
import { eth_accounts } from './methods/eth_accounts.ts'
import { eth_baseFee } from './methods/eth_baseFee.ts'
import { eth_blobBaseFee } from './methods/eth_blobBaseFee.ts'
import { eth_blockNumber } from './methods/eth_blockNumber.ts'
import { eth_call } from './methods/eth_call.ts'
import { eth_capabilities } from './methods/eth_capabilities.ts'
import { eth_chainId } from './methods/eth_chainId.ts'
import { eth_coinbase } from './methods/eth_coinbase.ts'
import { eth_config } from './methods/eth_config.ts'
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
import { evm_increaseTime } from './methods/evm_increaseTime.ts'
import { evm_mine } from './methods/evm_mine.ts'
import { evm_revert } from './methods/evm_revert.ts'
import { evm_setAutomine } from './methods/evm_setAutomine.ts'
import { evm_setBlockGasLimit } from './methods/evm_setBlockGasLimit.ts'
import { evm_setIntervalMining } from './methods/evm_setIntervalMining.ts'
import { evm_setNextBlockTimestamp } from './methods/evm_setNextBlockTimestamp.ts'
import { evm_setTime } from './methods/evm_setTime.ts'
import { evm_snapshot } from './methods/evm_snapshot.ts'
import { hardhat_dropTransaction } from './methods/hardhat_dropTransaction.ts'
import { hardhat_metadata } from './methods/hardhat_metadata.ts'
import { hardhat_mine } from './methods/hardhat_mine.ts'
import { hardhat_setBlockTimestampInterval } from './methods/hardhat_setBlockTimestampInterval.ts'
import { miner_start } from './methods/miner_start.ts'
import { miner_stop } from './methods/miner_stop.ts'
import { net_listening } from './methods/net_listening.ts'
import { net_version } from './methods/net_version.ts'
import { ots_getApiLevel } from './methods/ots_getApiLevel.ts'
import { ots_getBlockDetails } from './methods/ots_getBlockDetails.ts'
import { ots_getBlockDetailsByHash } from './methods/ots_getBlockDetailsByHash.ts'
import { ots_getBlockTransactions } from './methods/ots_getBlockTransactions.ts'
import { ots_getContractCreator } from './methods/ots_getContractCreator.ts'
import { ots_getInternalOperations } from './methods/ots_getInternalOperations.ts'
import { ots_getTransactionBySenderAndNonce } from './methods/ots_getTransactionBySenderAndNonce.ts'
import { ots_getTransactionError } from './methods/ots_getTransactionError.ts'
import { ots_hasCode } from './methods/ots_hasCode.ts'
import { ots_searchTransactionsAfter } from './methods/ots_searchTransactionsAfter.ts'
import { ots_searchTransactionsBefore } from './methods/ots_searchTransactionsBefore.ts'
import { ots_traceTransaction } from './methods/ots_traceTransaction.ts'
import { personal_sign } from './methods/personal_sign.ts'
import { testing_buildBlockV1 } from './methods/testing_buildBlockV1.ts'
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

/** All methods under all their names. */
export const METHODS = withAliases({
  anvil_addBalance,
  anvil_autoImpersonateAccount,
  anvil_dealERC20,
  anvil_dropAllTransactions,
  anvil_dropTransaction,
  anvil_dumpState,
  anvil_getAutomine,
  anvil_getIntervalMining,
  anvil_impersonateAccount,
  anvil_loadState,
  anvil_metadata,
  anvil_mine,
  anvil_nodeInfo,
  anvil_removeBlockTimestampInterval,
  anvil_removePoolTransactions,
  anvil_reorg,
  anvil_reset,
  anvil_rollback,
  anvil_setBalance,
  anvil_setBlockTimestampInterval,
  anvil_setChainId,
  anvil_setCode,
  anvil_setCoinbase,
  anvil_setERC20Allowance,
  anvil_setIntervalMining,
  anvil_setLoggingEnabled,
  anvil_setMinGasPrice,
  anvil_setNextBlockBaseFeePerGas,
  anvil_setNonce,
  anvil_setPrevRandao,
  anvil_setRpcUrl,
  anvil_setStorageAt,
  anvil_stopImpersonatingAccount,
  evm_increaseTime,
  evm_mine,
  evm_revert,
  evm_setAutomine,
  evm_setBlockGasLimit,
  evm_setIntervalMining,
  evm_setNextBlockTimestamp,
  evm_setTime,
  evm_snapshot,
  hardhat_dropTransaction,
  hardhat_metadata,
  hardhat_mine,
  hardhat_setBlockTimestampInterval,
  miner_start,
  miner_stop,
  chain_transactionStatus,
  debug_getRawBlock,
  debug_getRawHeader,
  debug_getRawReceipts,
  debug_getRawTransaction,
  debug_traceBlock,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  erigon_getHeaderByNumber,
  eth_accounts,
  eth_baseFee,
  eth_blobBaseFee,
  eth_blockNumber,
  eth_call,
  eth_capabilities,
  eth_chainId,
  eth_coinbase,
  eth_config,
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
  ots_getApiLevel,
  ots_getBlockDetails,
  ots_getBlockDetailsByHash,
  ots_getBlockTransactions,
  ots_getContractCreator,
  ots_getInternalOperations,
  ots_getTransactionBySenderAndNonce,
  ots_getTransactionError,
  ots_hasCode,
  ots_searchTransactionsAfter,
  ots_searchTransactionsBefore,
  ots_traceTransaction,
  personal_sign,
  testing_buildBlockV1,
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
})

/** The methods as providers run them, in a map: engines optimize property lookups for the first requested names. */
export const methods = new Map<string, RunnableMethod>(Object.entries(METHODS as never))

/** Parameters and results of `request`, by method name. */
export type PresealRpcSchema = SchemaOf<typeof METHODS>
