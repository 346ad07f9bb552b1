/** The methods that pages can use: the methods of real nodes and wallets, and cheats if the test allows them. Owns nothing. */
import { MethodNotFoundError } from '../../rpc/errors.ts'
import { METHODS } from '../../rpc/table.ts'
import type { Requester } from '../server/index.ts'
import { namesForkUrl } from '../server/requester.ts'
import { MethodNotOfferedError, PageForkUrlError } from './errors.ts'

const named = (byPrefix: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set(
    Object.entries(byPrefix).flatMap(([prefix, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => `${prefix}_${name}`),
    ),
  )

/** Methods of nodes without accounts. */
const OF_NODES = named({
  base: 'transactionStatus',
  chain: 'transactionStatus',
  debug: `
    getRawBlock getRawHeader getRawReceipts getRawTransaction traceBlock traceBlockByHash traceBlockByNumber
    traceCall traceTransaction`,
  erigon: 'getHeaderByNumber',
  eth: `
    baseFee blobBaseFee blockNumber call capabilities chainId coinbase config createAccessList estimateGas
    feeHistory fillTransaction gasPrice getBalance getBlockByHash getBlockByNumber getBlockReceipts
    getBlockTransactionCountByHash getBlockTransactionCountByNumber getCode getFilterChanges getFilterLogs
    getLogs getProof getRawTransactionByHash getStorageAt getStorageValues getTransactionByBlockHashAndIndex
    getTransactionByBlockNumberAndIndex getTransactionByHash getTransactionBySenderAndNonce
    getTransactionCount getTransactionReceipt getUncleByBlockHashAndIndex getUncleByBlockNumberAndIndex
    getUncleCountByBlockHash getUncleCountByBlockNumber maxPriorityFeePerGas mining newBlockFilter newFilter
    newPendingTransactionFilter pendingTransactions sendRawTransaction sendRawTransactionSync simulateV1
    subscribe syncing uninstallFilter unsubscribe`,
  net: 'listening version',
  ots: `
    getApiLevel getBlockDetails getBlockDetailsByHash getBlockTransactions getContractCreator
    getInternalOperations getTransactionBySenderAndNonce getTransactionError hasCode searchTransactionsAfter
    searchTransactionsBefore traceTransaction`,
  trace: 'block filter get transaction',
  txpool: 'content contentFrom inspect status',
  web3: 'clientVersion sha3',
})

/** Methods that act for accounts, or that only wallets have. In pages the wallet answers them, or asks its user. */
const OF_WALLETS = named({
  eth: 'accounts requestAccounts sendTransaction sendTransactionSync sign signTransaction signTypedData_v4',
  personal: 'sign',
  wallet: `
    addEthereumChain getCallsStatus getCapabilities getPermissions requestPermissions revokePermissions
    sendCalls showCallsStatus switchEthereumChain watchAsset`,
})

export const isOfNodes = (method: string): boolean => OF_NODES.has(method)

export const isOfNodesOrWallets = (method: string): boolean => OF_NODES.has(method) || OF_WALLETS.has(method)

/** Answers only offered methods, or with `cheats` all methods. Refuses URLs to fork, to which this process would connect. */
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
