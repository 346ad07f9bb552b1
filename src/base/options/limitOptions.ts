/** The options that limit what a chain holds, and what one request may ask for. */
import { group, option } from './option.ts'
import { bigint, choice, integer } from './optionSchemas.ts'

/** Which executable transaction goes first: the one with the higher priority fee, or the earlier one. */
export type MempoolOrdering = 'fees' | 'fifo'

/** Those options. */
export const LIMIT_OPTIONS = {
  /** Limits and order of the mempool. */
  mempool: group({
    /** Transactions that wait at the same time. */
    maxTransactions: option(integer(1), { default: 10_000 }),
    /** Transactions of one sender that wait at the same time. */
    maxPerSender: option(integer(1), { default: 1_000 }),
    /** Percent by which a replacement must raise both fee fields. */
    priceBump: option(integer(0), { default: 10 }),
    /** Which executable transaction goes first: by `'fees'` the higher priority fee, by `'fifo'` the earlier. */
    ordering: option(choice<MempoolOrdering>(['fees', 'fifo'], "'fees' or 'fifo'"), {
      default: 'fees',
    }),
  }),
  /** How many blocks behind the head the tags `safe` and `finalized` point. */
  finality: group({
    /** Number of blocks that `safe` is behind the head. */
    safe: option(integer(0), { default: 0 }),
    /** Number of blocks that `finalized` is behind the head. */
    finalized: option(integer(0), { default: 0 }),
  }),
  /** How many blocks back history is kept. */
  history: group({
    /** State, receipts and logs. */
    blocks: option(integer(2), { default: 100_000 }),
    /** Trie roots, for proofs (eth_getProof). */
    proofs: option(integer(0), { default: 128 }),
  }),
  /** Limits of one request. */
  limits: group({
    /** Gas of eth_call, eth_estimateGas, debug_traceCall, and of all calls of one eth_simulateV1 together. */
    gasCap: option(bigint(21_000n, 2n ** 64n - 1n, 'a bigint from 21,000 to 2^64 - 1'), {
      default: 50_000_000n,
    }),
    /** Blocks in the range of eth_getLogs or eth_getFilterLogs. */
    logBlockRange: option(integer(1), { default: 100_000 }),
    /** Logs in one answer of eth_getLogs, eth_getFilterLogs or eth_getFilterChanges. */
    logResults: option(integer(1), { default: 20_000 }),
    /** Blocks of eth_simulateV1, those that fill gaps included. */
    simulateBlocks: option(integer(1), { default: 256 }),
    /** Blocks in the range of trace_filter, each of which is executed again. */
    traceBlockRange: option(integer(1), { default: 1_000 }),
    /** Bytes of memory that the traces of one request may take, estimated. */
    traceMemory: option(integer(1), { default: 100_000_000 }),
  }),
}
