/** The files of the build that a process loads, as V8 records its scripts. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './run.ts'

/** The part of a coverage report that lists the scripts. */
interface Report {
  readonly result: readonly { readonly url: string }[]
}

const IMPORT = `const { createChain } = await import(process.argv[1])`

/** A chain with the default options until its first block, with a transaction that runs code, is sealed. */
const FIRST_BLOCK = `${IMPORT}
const chain = await createChain()
const request = (method, ...params) => chain.standard.request({ method, params })
const [from] = await request('eth_accounts')
const hash = await request('eth_sendTransaction', { from, data: '0x00' })
await chain.seal()
const receipt = await request('eth_getTransactionReceipt', hash)
if (receipt?.status !== '0x1' || receipt.blockNumber !== '0x1') throw new Error(JSON.stringify(receipt))
await chain.close()`

/** The files of the folder `dist`, an absolute path, that are loaded with `index.js`, by name, sorted. */
export function filesLoadedByImport(dist: string): Promise<string[]> {
  return filesLoadedBy(IMPORT, dist)
}

/** The same of those that a default chain has loaded once its first block is sealed and stored. */
export function filesLoadedByFirstBlock(dist: string): Promise<string[]> {
  return filesLoadedBy(FIRST_BLOCK, dist)
}

/** Runs a program in a new process, with the address of the package as its argument. */
function filesLoadedBy(program: string, dist: string): Promise<string[]> {
  const entry = pathToFileURL(join(dist, 'index.js')).href
  return filesLoadedWhile(dist, (env) =>
    run(process.execPath, ['--input-type=module', '--eval', program, entry], { env }),
  )
}

/**
 * The files of the folder `dist`, an absolute path, that processes load, by name, sorted.
 *
 * @param act - starts the processes with these variables, and waits until they have ended by themselves.
 */
export async function filesLoadedWhile(
  dist: string,
  act: (env: Readonly<Record<string, string>>) => Promise<unknown>,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-loaded-'))
  try {
    await act({ NODE_V8_COVERAGE: folder })
    const reports = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'))
    const scripts = (await Promise.all(reports)).flatMap((text) => (JSON.parse(text) as Report).result)
    const folderUrl = `${pathToFileURL(dist).href}/`
    const files = scripts.map(({ url }) => url).filter((url) => url.startsWith(folderUrl))
    return [...new Set(files.map((url) => url.slice(folderUrl.length)))].sort()
  } finally {
    await rm(folder, { recursive: true })
  }
}
