/** A chain that continues another one: what it shows of that one, and a transaction of its own. Plain EIP-1193. */
import { type ChainOptions, createChain, createManualClock } from 'preseal'

/** The results of the story. */
export interface ForkResult {
  /** The number and the hash of the forked block, as the fork shows it. */
  readonly forked: readonly [string, string]
  /** The receipt that the forked node has of a transaction. */
  readonly receipt: object
  /** What the contract holds at the forked block, on `standard` before the seal, and after it. */
  readonly values: readonly [number, number, number]
  /** Status, block and number of logs of the receipt: on `preconf` before the seal, on `standard` after it. */
  readonly preconfirmed: readonly [string, string, number]
  readonly sealed: readonly [string, string, number]
}

/**
 * Forks a chain, and calls a contract of it from the first dev account.
 *
 * @param sent - a transaction of the forked chain.
 * @param counter - a contract that adds its input to slot 0, and logs.
 */
export async function forkStory(
  fork: NonNullable<ChainOptions['fork']>,
  sent: `0x${string}`,
  counter: `0x${string}`,
): Promise<ForkResult> {
  const chain = await createChain({ fork, mining: 'manual', clock: createManualClock() })
  const { preconf, standard } = chain
  const value = async (): Promise<number> =>
    Number(await standard.request({ method: 'eth_getStorageAt', params: [counter, '0x0', 'latest'] }))
  const receiptOn = async (view: typeof preconf): Promise<readonly [string, string, number]> => {
    const receipt = await view.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const { status, blockNumber, logs } = receipt!
    return [status!, blockNumber, logs.length]
  }
  const block = await standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  const receipt = await standard.request({ method: 'eth_getTransactionReceipt', params: [sent] })
  const forked = await value()
  const from = chain.accounts[0]!.address
  const data = `0x${'5'.padStart(64, '0')}` as const
  const hash = await preconf.request({ method: 'eth_sendTransaction', params: [{ from, to: counter, data }] })
  await chain.tick()
  const preconfirmed = await receiptOn(preconf)
  const unsealed = await value()
  await chain.seal()
  const sealed = await receiptOn(standard)
  const values = [forked, unsealed, await value()] as const
  await chain.close()
  return { forked: [block!.number!, block!.hash!], receipt: receipt!, values, preconfirmed, sealed }
}
