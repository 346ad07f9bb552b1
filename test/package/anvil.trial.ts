/** The package with anvil as the node that it forks: what it shows of its chain, and what it does on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { FORK_MAIN, prepare, request, runStory } from './forked.ts'
import { install } from './install.ts'
import { createProject } from './project.ts'
import { fork } from './stories.ts'

const PLATFORM = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
const installed = await install(join(import.meta.dirname, 'anvil'))
/** Of the platform's package: the script of `@foundry-rs/anvil` would start it in another process. */
const BINARY = join(installed, `node_modules/@foundry-rs/anvil-${PLATFORM}/bin/anvil`)
const isAvailable = existsSync(BINARY)

/** Starts anvil, and ends it with the test. @returns its URL. */
async function startAnvil(): Promise<string> {
  const cache = await mkdtemp(join(inject('folder'), 'anvil-'))
  const anvil = spawn(BINARY, ['--port', '0', '--hardfork', 'prague', '--cache-path', cache], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    const exited = once(anvil, 'exit')
    if (anvil.kill()) await exited
  })
  let output = ''
  return new Promise((resolve, reject) => {
    anvil.once('error', reject)
    anvil.once('exit', () => reject(new Error(`anvil ended before it listened: ${output}`)))
    // Stays attached: a full pipe would stop anvil.
    anvil.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1]
      if (address !== undefined) resolve(`http://${address}`)
    })
  })
}

/** A program that prints what a fork answers to requests. */
const READS = `
import { createChain } from 'preseal'
const [url, requests] = JSON.parse(process.argv[2])
const chain = await createChain({ fork: { url } })
const answers = []
for (const [method, ...params] of requests) answers.push(await chain.standard.request({ method, params }))
await chain.close()
console.log(JSON.stringify(answers))
`

describe(isAvailable ? 'a fork of anvil' : `a fork of anvil, which is not there for ${PLATFORM}`, () => {
  it.skipIf(!isAvailable)('answers as anvil up to the fork, and goes on by itself', async () => {
    const [url, project] = await Promise.all([
      startAnvil(),
      createProject({ files: { 'fork.js': fork, 'main.js': FORK_MAIN, 'reads.js': READS } }),
    ])
    const node = await prepare(url)
    for (const verify of [false, true]) {
      expect(await runStory(project, node, { url, verify })).toEqual(node.expected)
    }
    const { sent, counter } = node
    const requests = [
      ['eth_blockNumber'],
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', '0x2', true],
      ['eth_getBlockReceipts', '0x2'],
      ['eth_getTransactionByHash', sent],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
      ['eth_getStorageAt', counter, '0x0', '0x1'],
      ['eth_getProof', counter, [`0x${'00'.repeat(32)}`], '0x3'],
      ['eth_feeHistory', '0x3', 'latest', []],
      ['debug_traceTransaction', sent, { tracer: 'callTracer' }],
    ] as const
    const { stdout } = await project.run(process.execPath, ['reads.js', JSON.stringify([url, requests])])
    const expected = await Promise.all(requests.map(([method, ...params]) => request(url, method, ...params)))
    expect(JSON.parse(stdout)).toEqual(expected)
  })
})
