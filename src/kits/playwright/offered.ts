/**
 * Which methods pages reach: those that a real node and a wallet have. Whatever else the chain has, such as its cheats,
 * reaches them only if the test says so. Owns nothing.
 */
import { MethodNotFoundError } from '../../rpc/errors.ts'
import { METHODS } from '../../rpc/table.ts'
import type { Requester } from '../server/index.ts'
import { namesForkUrl } from '../server/requester.ts'
import { MethodNotOfferedError, PageForkUrlError } from './errors.ts'

const named = (prefix: string, names: string): readonly string[] =>
  names.split(/\s+/).map((name) => `${prefix}_${name}`)

/** Methods of nodes that hold no accounts. */
const OF_NODES: ReadonlySet<string> = new Set([
  ...named('base', 'transactionStatus'),
  ...named('chain', 'transactionStatus'),
  ...named('debug', 'getRawBlock getRawHeader getRawReceipts getRawTransaction'),
  ...named('debug', 'traceBlock traceBlockByHash traceBlockByNumber traceCall traceTransaction'),
  ...named('erigon', 'getHeaderByNumber'),
  ...named(
    'eth',
    'baseFee blobBaseFee blockNumber call capabilities chainId coinbase config createAccessList',
  ),
  ...named(
    'eth',
    'estimateGas feeHistory fillTransaction gasPrice getBalance getBlockByHash getBlockByNumber',
  ),
  ...named('eth', 'getBlockReceipts getBlockTransactionCountByHash getBlockTransactionCountByNumber getCode'),
  ...named('eth', 'getFilterChanges getFilterLogs getLogs getProof getRawTransactionByHash getStorageAt'),
  ...named('eth', 'getStorageValues getTransactionByBlockHashAndIndex getTransactionByBlockNumberAndIndex'),
  ...named(
    'eth',
    'getTransactionByHash getTransactionBySenderAndNonce getTransactionCount getTransactionReceipt',
  ),
  ...named('eth', 'getUncleByBlockHashAndIndex getUncleByBlockNumberAndIndex getUncleCountByBlockHash'),
  ...named('eth', 'getUncleCountByBlockNumber maxPriorityFeePerGas mining newBlockFilter newFilter'),
  ...named(
    'eth',
    'newPendingTransactionFilter pendingTransactions sendRawTransaction sendRawTransactionSync',
  ),
  ...named('eth', 'simulateV1 subscribe syncing uninstallFilter unsubscribe'),
  ...named('net', 'listening version'),
  ...named(
    'ots',
    'getApiLevel getBlockDetails getBlockDetailsByHash getBlockTransactions getContractCreator',
  ),
  ...named('ots', 'getInternalOperations getTransactionBySenderAndNonce getTransactionError hasCode'),
  ...named('ots', 'searchTransactionsAfter searchTransactionsBefore traceTransaction'),
  ...named('trace', 'block filter get transaction'),
  ...named('txpool', 'content contentFrom inspect status'),
  ...named('web3', 'clientVersion sha3'),
])

/** Methods that act for accounts, or that only wallets have; in pages the wallet answers them, or asks its user. */
const OF_WALLETS: ReadonlySet<string> = new Set([
  ...named('eth', 'accounts requestAccounts sendTransaction sendTransactionSync sign signTransaction'),
  ...named('eth', 'signTypedData_v4'),
  ...named('personal', 'sign'),
  ...named('wallet', 'addEthereumChain getCallsStatus getCapabilities getPermissions requestPermissions'),
  ...named('wallet', 'revokePermissions sendCalls showCallsStatus switchEthereumChain watchAsset'),
])

/** Whether a node that holds no accounts has the method. */
export const isOfNodes = (method: string): boolean => OF_NODES.has(method)

/** Whether a node or a wallet has the method. */
export const isOfNodesOrWallets = (method: string): boolean => OF_NODES.has(method) || OF_WALLETS.has(method)

/**
 * A requester that answers these methods, with `cheats` all that the chain has. URLs of nodes to fork are refused in either
 * case, since the test process would connect to them.
 */
export function offer(
  requester: Requester,
  isOffered: (method: string) => boolean,
  { cheats }: { readonly cheats: boolean },
): Requester {
  return {
    async request(args) {
      const { method } = args
      if (namesForkUrl(args)) throw new PageForkUrlError()
      if (cheats || isOffered(method)) return requester.request(args)
      throw Object.hasOwn(METHODS, method)
        ? new MethodNotOfferedError(method)
        : new MethodNotFoundError(method)
    },
  }
}
