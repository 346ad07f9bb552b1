/** One request of each method on the scene: the test of every method sends them, and so do the pages of the documentation. */
import { METHODS } from '../../src/rpc/table.ts'
import { type Scene, tokenCall } from './scene.ts'
import { validParams } from './validParams.ts'

/** Each method by the first of its names. */
export const METHOD_NAMES = Object.keys(METHODS).filter((name, at, all) => {
  const table = METHODS as Readonly<Record<string, unknown>>
  return all.findIndex((other) => table[other] === table[name]) === at
})

/** A batch of calls, the param of wallet_sendCalls. */
export function exampleBatch({ accounts }: Scene) {
  const [alice, bob] = accounts
  return {
    version: '2.0.0',
    chainId: '0x7a69',
    from: bob,
    atomicRequired: true,
    calls: [{ to: alice }],
  }
}

/**
 * The params of one request of each method; methods that are not in it have none.
 *
 * @param batchId - the id of a batch of calls that was sent.
 */
export async function exampleParams(
  scene: Scene,
  batchId: string,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const valid = Object.entries(await validParams(scene)).map(([name, [first]]) => [name, first!] as const)
  return { ...Object.fromEntries(valid), ...(await furtherParams(scene, batchId)) }
}

/** Params of methods for which the fuzzer has none, or which these replace. */
async function furtherParams(scene: Scene, batchId: string): Promise<Record<string, readonly unknown[]>> {
  const { chain, accounts, token } = scene
  const [alice, bob] = accounts
  return {
    anvil_dealERC20: [bob, token, '0x63'],
    anvil_loadState: [await chain.standard.request({ method: 'anvil_dumpState' })],
    anvil_removePoolTransactions: [accounts[2]],
    anvil_reorg: [1],
    anvil_setChainId: ['0x7a69'],
    anvil_setERC20Allowance: [bob, alice, token, '0x7'],
    anvil_setIntervalMining: ['0x0'],
    anvil_setLoggingEnabled: [true],
    anvil_setMinGasPrice: ['0x0'],
    anvil_setNextBlockBaseFeePerGas: ['0x7'],
    anvil_setRpcUrl: ['http://127.0.0.1:1'],
    debug_traceCall: [
      { from: alice, to: token, data: tokenCall('transfer', [bob, 4n]) },
      'latest',
      { tracer: 'callTracer' },
    ],
    debug_traceTransaction: [scene.second.block.transactions[0]!.hash, { tracer: 'callTracer' }],
    eth_sendUnsignedTransaction: [{ from: bob, to: alice, gas: '0x5208', gasPrice: '0x77359400' }],
    eth_simulateV1: [{ blockStateCalls: [{ calls: [{ from: alice, to: bob }] }] }, 'latest'],
    evm_setAutomine: [false],
    evm_setBlockGasLimit: ['0x1c9c380'],
    evm_setIntervalMining: ['0x0'],
    evm_setNextBlockTimestamp: ['0x6553f200'],
    evm_setTime: [1_700_000_100_000],
    hardhat_dropTransaction: [scene.waiting],
    hardhat_setBlockTimestampInterval: ['0x2'],
    wallet_getCallsStatus: [batchId],
    wallet_sendCalls: [exampleBatch(scene)],
    wallet_showCallsStatus: [batchId],
    wallet_watchAsset: [{ type: 'ERC20', options: { address: token, symbol: 'TKN', decimals: 18 } }],
  }
}
