/**
 * Records `examples/testRunners/fork.jsonl`, the cache of the example's fork: serves the chain that the example forks, and
 * runs the example against it. Needed only if the example reads something else.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { encodeFunctionData, getContractAddress } from 'viem'
import { Token } from '../examples/contracts/token.ts'
import { createChain, createManualClock } from '../src/index.ts'
import { serve } from '../src/kits/server/index.ts'

const EXAMPLE = 'examples/testRunners/fork.test.ts'
const HOLDER = '0x00000000000000000000000000000000000a11ce'

const chain = await createChain({ mining: 'manual', clock: createManualClock() })
const from = chain.accounts[0].address
const send = (transaction: object) =>
  chain.live.request({ method: 'eth_sendTransaction', params: [{ from, gas: '0x1e8480', ...transaction }] })
await send({ data: Token.bytecode })
await send({
  to: getContractAddress({ from, nonce: 0n }),
  data: encodeFunctionData({ abi: Token.abi, functionName: 'transfer', args: [HOLDER, 1000n] }),
})
const { block } = await chain.seal()
const server = await serve(chain, { port: 0, preconfPort: 0 })

rmSync('examples/testRunners/fork.jsonl', { force: true })
writeFileSync(EXAMPLE, readFileSync(EXAMPLE, 'utf8').replace(/block: '0x\w{64}'/, `block: '${block.hash}'`))
const env = { ...process.env, FORK_URL: server.url }
const run = spawn('npx', ['vitest', 'run', '--project', 'node', EXAMPLE], { stdio: 'inherit', env })
const [code] = await once(run, 'exit')
await server.close()
await chain.close()
process.exitCode = code
