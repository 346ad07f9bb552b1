/** The package with anvil: as the node that it forks, what it shows of its chain and does on it; and state files of both. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { FORK_MAIN, prepare, request, runStory } from './forked.ts'
import { install } from './install.ts'
import { createProject, type Project } from './project.ts'
import { serve } from './served.ts'
import { fork } from './stories.ts'

const PLATFORM = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
const installed = await install(join(import.meta.dirname, 'anvil'))
/** Of the platform's package: the script of `@foundry-rs/anvil` would start it in another process. */
const BINARY = join(installed, `node_modules/@foundry-rs/anvil-${PLATFORM}/bin/anvil`)
const isAvailable = existsSync(BINARY)

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const STRANGER = '0x00000000000000000000000000000000000abcde'
const LOGGER = '0x00000000000000000000000000000000000c0de5'

/** What fills a chain: transfers of two types, a log, a creation, a revert, an impersonated account, and cheats. */
const FILLING = [
  ['anvil_setCode', LOGGER, '0x60ff6000556000600060ff60006000a15000'],
  ['anvil_setCode', STRANGER, '0x60206000fd'],
  ['anvil_setBalance', STRANGER, '0xde0b6b3a7640000'],
  ['eth_sendTransaction', { to: BOB, value: '0x7', gas: '0x5208', gasPrice: '0x77359400' }],
  ['eth_sendTransaction', { to: BOB, value: '0x7', gas: '0x5208' }],
  ['eth_sendTransaction', { to: LOGGER, gas: '0x186a0' }],
  ['eth_sendTransaction', { data: '0x602a6000556001600c60003960016000f300', gas: '0x30d40' }],
  ['eth_sendTransaction', { to: STRANGER, gas: '0x186a0' }],
  ['anvil_impersonateAccount', STRANGER],
  ['eth_sendTransaction', { from: STRANGER, to: BOB, value: '0x1', gas: '0x5208' }],
  ['anvil_mine', '0x2'],
] as const

/** The fields that both have, with the same meaning. */
const OWN_FIELDS = new Set(['size', 'totalDifficulty', 'blobGasPrice', 'blockTimestamp'])

/** What a node answers about its blocks, without fields that differ between the two. */
async function factsOf(ask: (method: string, ...params: unknown[]) => Promise<unknown>): Promise<unknown> {
  const head = Number(await ask('eth_blockNumber'))
  const facts: unknown[] = [await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })]
  for (let n = 0; n <= head; n++) {
    const number = `0x${n.toString(16)}`
    const block = (await ask('eth_getBlockByNumber', number, false)) as { readonly transactions: string[] }
    facts.push(block)
    for (const address of [BOB, STRANGER, LOGGER]) {
      for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']) {
        facts.push(await ask(method, address, number))
      }
    }
    facts.push(await ask('eth_getStorageAt', LOGGER, '0x0', number))
    for (const hash of block.transactions) {
      // anvil recovers the sender of a transaction without a signature, except for the receipt.
      const { from: _, ...fields } = (await ask('eth_getTransactionByHash', hash)) as Record<string, unknown>
      facts.push(fields, await ask('eth_getTransactionReceipt', hash))
    }
  }
  return JSON.parse(JSON.stringify(facts, (name, value) => (OWN_FIELDS.has(name) ? undefined : value)))
}

/** A program that sends requests to a chain, and prints the answers; a parameter can be the content of a file. */
const SENDS = `
import { createChain } from 'preseal'
import { readFile } from 'node:fs/promises'
const chain = await createChain({ mining: 'auto' })
let last
for (const [method, ...params] of JSON.parse(await readFile('requests.json', 'utf8'))) {
  last = await chain.standard.request({ method, params })
}
const ask = (method, ...params) => chain.standard.request({ method, params })
const head = Number(await ask('eth_blockNumber'))
const answers = {}
const request = async (...one) => (answers[JSON.stringify(one)] = await ask(...one))
await request('eth_blockNumber')
await request('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })
for (let n = 0; n <= head; n++) {
  const number = '0x' + n.toString(16)
  const block = await request('eth_getBlockByNumber', number, false)
  for (const address of ${JSON.stringify([BOB, STRANGER, LOGGER])}) {
    for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']) await request(method, address, number)
  }
  await request('eth_getStorageAt', '${LOGGER}', '0x0', number)
  for (const hash of block.transactions) {
    await request('eth_getTransactionByHash', hash)
    await request('eth_getTransactionReceipt', hash)
  }
}
await chain.close()
console.log(JSON.stringify({ last, answers }))
`

/** Runs {@link SENDS}. @returns the last answer, and what the chain answers about its blocks. */
async function sends(
  project: Project,
  requests: readonly unknown[],
): Promise<{ readonly last: string; readonly facts: unknown }> {
  await writeFile(join(project.folder, 'requests.json'), JSON.stringify(requests))
  const { stdout } = await project.run(process.execPath, ['sends.js'])
  const { last, answers } = JSON.parse(stdout)
  return { last, facts: await factsOf(async (...one) => answers[JSON.stringify(one)]) }
}

/** Starts anvil, and ends it with the test. @returns its URL. */
const startAnvil = async (...args: readonly string[]): Promise<string> => (await runAnvil(...args)).url

/** Starts anvil. @returns its URL, and `end`, which ends it; so does the test. */
async function runAnvil(...args: readonly string[]): Promise<{ url: string; end: () => Promise<void> }> {
  const cache = await mkdtemp(join(inject('folder'), 'anvil-'))
  const common = ['--port', '0', '--hardfork', 'prague', '--cache-path', cache]
  const anvil = spawn(BINARY, [...common, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = async (): Promise<void> => {
    const exited = once(anvil, 'exit')
    if (anvil.kill()) await exited
  }
  onTestFinished(end)
  let output = ''
  return new Promise((resolve, reject) => {
    anvil.once('error', reject)
    anvil.once('exit', () => reject(new Error(`anvil ended before it listened: ${output}`)))
    // Stays attached: a full pipe would stop anvil.
    anvil.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1]
      if (address !== undefined) resolve({ url: `http://${address}`, end })
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

describe('a state file', () => {
  it.skipIf(!isAvailable)('of this library is loaded by anvil, by its method and at its start', async () => {
    const project = await createProject({ files: { 'sends.js': SENDS } })
    const filling = FILLING.map(([method, ...params]) =>
      method === 'eth_sendTransaction'
        ? [method, { from: ALICE, ...(params[0] as object) }]
        : [method, ...params],
    )
    const { last, facts } = await sends(project, [...filling, ['anvil_dumpState', true]])
    const file = join(project.folder, 'state.json')
    await writeFile(file, gunzipSync(Buffer.from(last.slice(2), 'hex')))
    const [running, started] = await Promise.all([startAnvil(), startAnvil('--load-state', file)])
    expect(await request(running, 'anvil_loadState', last)).toBe(true)
    for (const url of [running, started]) {
      expect(await factsOf((...one) => request(url, ...one))).toEqual(facts)
      // By itself it mines after the answer.
      await request(url, 'evm_setAutomine', false)
      await request(url, 'eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1' })
      await request(url, 'evm_mine')
      expect(Number(await request(url, 'eth_blockNumber'))).toBe(9)
    }
  })

  it.skipIf(!isAvailable)('of anvil is loaded by this library', async () => {
    const [url, project] = await Promise.all([startAnvil(), createProject({ files: { 'sends.js': SENDS } })])
    for (const [method, ...params] of FILLING) {
      const isSend = method === 'eth_sendTransaction'
      await request(url, method, ...(isSend ? [{ from: ALICE, ...(params[0] as object) }] : params))
    }
    const state = await request(url, 'anvil_dumpState', true)
    const { facts } = await sends(project, [['anvil_loadState', state]])
    expect(facts).toEqual(await factsOf((...one) => request(url, ...one)))
  })

  it.skipIf(!isAvailable)('that one writes at its end is loaded by the other at its start', async () => {
    const { folder } = await createProject({ files: {} })
    const preseal = (...args: string[]) =>
      serve(folder, [process.execPath, 'node_modules/preseal/dist/cli.js', '--mining', 'auto', ...args])
    const [ours, theirs] = [join(folder, 'ours.json'), join(folder, 'theirs.json')]
    const factsAt = (url: string) => factsOf((...one) => request(url, ...one))

    const first = await preseal('--dump-state', ours, '--preserve-historical-states')
    for (const [method, ...params] of FILLING) {
      const isSend = method === 'eth_sendTransaction'
      await request(first.url, method, ...(isSend ? [{ from: ALICE, ...(params[0] as object) }] : params))
    }
    const facts = await factsAt(first.url)
    expect(await first.end()).toBe('')

    const anvil = await runAnvil('--load-state', ours, '--dump-state', theirs, '--preserve-historical-states')
    expect(await factsAt(anvil.url)).toEqual(facts)
    await anvil.end()

    const last = await preseal('--load-state', theirs)
    expect(await factsAt(last.url)).toEqual(facts)
  })
})
