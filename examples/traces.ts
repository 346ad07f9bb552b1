/** Tracing and console.log of a transaction that is only pre-confirmed. */
import { type CallTrace, createChain } from 'preseal'
import { createWalletClient, custom, encodeFunctionData, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual', revertReason: true })
const account = privateKeyToAccount(chain.accounts[0].privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: custom(chain.live) })
chain.on('console', ({ message, address }) => console.log(`${address.slice(0, 8)} logs: ${message}`))

// A contract that passes its calldata to the console, and reverts with it.
const runtime = '366000600037600060003660006a636f6e736f6c652e6c6f675afa366000fd'
const deployed = await wallet.sendTransaction({ data: `0x601f600c600039601f6000f3${runtime}`, gas: 200_000n })
await chain.seal()
const created = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [deployed] })

const abi = parseAbi(['function log(string text, uint256 number)'])
const data = encodeFunctionData({ abi, functionName: 'log', args: ['the answer is %d', 42n] })
const hash = await wallet.sendTransaction({ to: created!.contractAddress, data, gas: 100_000n })
const { receipts } = await chain.tick()
console.log(`it reverted with its calldata: ${receipts[0]!.revertReason === data}`)

const trace = await chain.preconf.request({
  method: 'debug_traceTransaction',
  params: [hash, { tracer: 'callTracer' }],
})
const { error, calls } = trace as CallTrace
console.log(`${error}, after ${calls!.map(({ type, to }) => `${type} to ${to!.slice(-6)}`).join(', ')}`)
await chain.close()
