/**
 * Requests in the proportions of `bench/openZeppelin.ts`: per test a snapshot and its revert, sends with their receipts, calls, and
 * one call and one send that fail.
 */

/** A request, whose params may follow from the results before. */
export interface MixedRequest {
  readonly method: string
  params(results: MixResults): readonly unknown[]
  /** Whether it is answered with an error. */
  readonly fails?: boolean
}

/** What requests refer to. */
export interface MixResults {
  /** That of the last evm_snapshot. */
  snapshot: unknown
  /** The transaction of the last send. */
  hash: unknown
  /** The number of the test. */
  test: number
}

/** Adds up what it is called with, and emits an event; without calldata it reverts. */
export const COUNTER = '0x366007575f5ffd5b5f355f5401805f555f5260205fa060205ff3'

const COUNTER_AT = `0x${'c0'.repeat(20)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const fixed =
  (...params: readonly unknown[]) =>
  () =>
    params

/** Requests before the first test. */
export const MIX_SETUP: readonly MixedRequest[] = [
  { method: 'anvil_setCode', params: fixed(COUNTER_AT, COUNTER) },
  { method: 'evm_mine', params: fixed() },
  { method: 'evm_snapshot', params: fixed() },
]

/** The requests of one test, of accounts of the chain. */
export function mixOf(accounts: readonly string[]): readonly MixedRequest[] {
  const sender = ({ test }: MixResults): string => accounts[test % accounts.length]!
  const send = (data: (results: MixResults) => string): MixedRequest => ({
    method: 'eth_sendTransaction',
    params: (results) => [{ from: sender(results), to: COUNTER_AT, data: data(results), gas: '0x30d40' }],
  })
  const read = (method: string, ...params: readonly unknown[]): MixedRequest => ({
    method,
    params: fixed(...params),
  })
  const call: MixedRequest = {
    method: 'eth_call',
    params: (results) => [{ from: sender(results), to: COUNTER_AT, data: word(results.test) }, 'latest'],
  }
  const receipt: readonly MixedRequest[] = [
    { method: 'eth_getTransactionByHash', params: ({ hash }) => [hash] },
    { method: 'eth_getTransactionReceipt', params: ({ hash }) => [hash] },
  ]
  const round: readonly MixedRequest[] = [
    read('eth_chainId'),
    read('eth_getBlockByNumber', 'latest', false),
    {
      method: 'eth_estimateGas',
      params: (results) => [{ from: sender(results), to: COUNTER_AT, data: word(results.test) }],
    },
    send(({ test }) => word(test)),
    ...receipt,
    read('eth_blockNumber'),
    call,
    call,
  ]
  return [
    { method: 'evm_revert', params: ({ snapshot }) => [snapshot] },
    { method: 'evm_snapshot', params: fixed() },
    ...round,
    ...round,
    {
      method: 'eth_call',
      params: (results) => [{ from: sender(results), to: COUNTER_AT }, 'latest'],
      fails: true,
    },
    { ...send(() => '0x'), fails: true },
    { method: 'evm_increaseTime', params: fixed('0x3c') },
    { method: 'evm_mine', params: fixed() },
    { method: 'eth_getLogs', params: fixed({ fromBlock: '0x0', toBlock: 'latest' }) },
    { method: 'eth_getBalance', params: (results) => [sender(results), 'latest'] },
  ]
}

/** Sends so many requests of the mix. @param results - go on from call to call. */
export async function sendMix(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  mix: readonly MixedRequest[],
  count: number,
  results: MixResults,
): Promise<void> {
  for (let sent = 0; sent < count; results.test++) {
    for (const { method, params, fails = false } of mix) {
      sent += 1
      const settled = await request(method, params(results)).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      if ('error' in settled !== fails)
        throw new Error(`${method}: ${JSON.stringify(settled)} ${'error' in settled ? settled.error : ''}`)
      if ('error' in settled) continue
      if (method === 'evm_snapshot') results.snapshot = settled.result
      if (method === 'eth_sendTransaction') results.hash = settled.result
    }
  }
}
