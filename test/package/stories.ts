/** The stories as files of a project, and their expected results. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_HASHES } from '../rootHashes.ts'
import { toJavaScript } from './project.ts'
import type { ClientsResult } from './stories/clients.ts'
import type { StoryResult } from './stories/story.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, 'stories', name), 'utf8')

/** Both stories in TypeScript. */
export const typeScript = { 'story.ts': read('story.ts'), 'clients.ts': read('clients.ts') }

/** Both stories as ES modules. */
export const esModules = {
  'story.js': toJavaScript(typeScript['story.ts'], 'esm'),
  'clients.js': toJavaScript(typeScript['clients.ts'], 'esm'),
}

/** The story of a fork as an ES module. */
export const fork = toJavaScript(read('fork.ts'), 'esm')

/** The story of random programs as an ES module. */
export const programs = toJavaScript(read('programs.ts'), 'esm')

/** Both stories as CommonJS. */
export const commonJs = {
  'story.cjs': toJavaScript(typeScript['story.ts'], 'cjs'),
  'clients.cjs': toJavaScript(typeScript['clients.ts'], 'cjs'),
}

/** The result of the story with WebAssembly: the same hash in every environment. */
export const STORY: StoryResult = {
  preconfirmed: ROOT_HASHES['package: block 1'],
  knownBefore: false,
  sealed: ROOT_HASHES['package: block 1'],
  timed: ['0x1', '0x1'],
  wasm: ['keccak256', 'secp256k1'],
}

/** The result of the clients' story, with the balance as text. */
export const CLIENTS: Omit<ClientsResult, 'balance'> & { readonly balance: string } = {
  pushed: 'success',
  stock: 'success',
  ethers: 1,
  balance: '10003000000000000000000',
}

/** The tools that the clients' story needs. */
export const CLIENT_TOOLS = ['ethers', 'viem']

/** A program that runs both stories and prints their results as one line of JSON. */
export const esMain = `
import { clients } from './clients.js'
import { story } from './story.js'
const result = { story: await story(), clients: await clients() }
console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
`

/** The same in CommonJS. */
export const cjsMain = `
const { clients } = require('./clients.cjs')
const { story } = require('./story.cjs')
async function main() {
  const result = { story: await story(), clients: await clients() }
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
}
main()
`

/** The output of both programs. */
export const PRINTED = { story: STORY, clients: CLIENTS }
