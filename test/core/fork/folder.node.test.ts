/** The cache of a fork in a folder. */
import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import type { ForkCacheLocation } from '../../../src/base/options/forkOptions.ts'
import type { Hash } from '../../../src/base/types.ts'
import { openForkCache } from '../../../src/core/fork/cache.ts'
import { createChain } from '../../../src/index.ts'
import { bundleProgram } from '../../tools/program.ts'
import { createFolder } from './scriptedNode.ts'

const HASH: Hash = `0x${'ab'.repeat(32)}`
const CODE = `0x60${'00'.repeat(99)}` as const
const FILE = join('1', `${HASH}.jsonl`)
const FORK_LINE = `[1,"preseal_fork",[],{"chainId":"0x1","blockHash":"${HASH}"}]\n`

const program = bundleProgram('test/core/fork/append.ts')

async function open(location: ForkCacheLocation) {
  const cache = await openForkCache(location)
  await cache.load(1n, HASH)
  return cache
}

it('has a file for each block, and one for each code', async () => {
  const folder = await createFolder()
  const cache = await open(folder)
  cache.put('eth_getBalance', [1], '0x1')
  cache.put('eth_getCode', [1], CODE)
  cache.put('eth_getCode', [2], CODE)
  await cache.close()
  const names = (await readdir(folder, { recursive: true })).sort()
  const code = names.find((name) => name.startsWith('codes/'))!.slice('codes/'.length)
  expect(names).toEqual(['1', FILE, 'codes', `codes/${code}`])
  expect(await readFile(join(folder, FILE), 'utf8')).toBe(
    `${FORK_LINE}[1,"eth_getBalance",[1],"0x1"]\n[1,"eth_getCode",[1],{"codeHash":"${code}"}]\n[1,"eth_getCode",[2],{"codeHash":"${code}"}]\n`,
  )
  expect(await readFile(join(folder, 'codes', code), 'utf8')).toBe(CODE)
  const again = await open(folder)
  expect(again.get('eth_getCode', [2])).toBe(CODE)
  expect(await again.forks()).toEqual([{ chainId: 1n, blockHash: HASH, blockNumber: undefined }])
})

it('is one file for one block if its path ends in .jsonl, codes included', async () => {
  const folder = await createFolder()
  const path = join(folder, 'new', 'fork.jsonl')
  const cache = await open(path)
  cache.put('eth_getCode', [1], CODE)
  await cache.close()
  expect(await readdir(join(folder, 'new'))).toEqual(['fork.jsonl'])
  const text = await readFile(path, 'utf8')
  for (const location of [path, { text }]) {
    const again = await open(location)
    expect(again.get('eth_getCode', [1])).toBe(CODE)
    expect(await again.forks()).toEqual([{ chainId: 1n, blockHash: HASH, blockNumber: undefined }])
  }
  const other = await openForkCache(path)
  await expect(other.load(2n, HASH)).rejects.toThrow(
    `the fork's cache cannot be read: ${path} is of block ${HASH} of chain 1: expected a file for each block, or a folder`,
  )
})

it('is named by the error for what it lacks, with how to record that', async () => {
  const path = join(await createFolder(), 'fork.jsonl')
  await expect(createChain({ fork: { cache: path, offline: true, block: 7n } })).rejects.toThrow(
    `not in the fork's cache ${path}: eth_getBlockByNumber ["0x7"]; to record it, run once with fork.url (--fork-url) and without fork.offline (--offline)`,
  )
})

it('goes on after a line that is not whole', async () => {
  const folder = await createFolder()
  const first = await open(folder)
  first.put('a', [], '0x1')
  await first.close()
  await appendFile(join(folder, FILE), '[1,"b",[],"0x')
  const second = await open(folder)
  expect([second.get('a', []), second.get('b', [])]).toEqual(['0x1', undefined])
  second.put('b', [], '0x2')
  await second.close()
  const third = await open(folder)
  expect([third.get('a', []), third.get('b', [])]).toEqual(['0x1', '0x2'])
})

it('asks again for a code that is damaged or missing', async () => {
  const folder = await createFolder()
  const cache = await open(folder)
  cache.put('eth_getCode', [1], CODE)
  await cache.close()
  const [name] = await readdir(join(folder, 'codes'))
  await writeFile(join(folder, 'codes', name!), `${CODE}00`)
  const damaged = await open(folder)
  expect(damaged.get('eth_getCode', [1])).toBe(undefined)
  damaged.put('eth_getCode', [1], CODE)
  await damaged.close()
  expect((await open(folder)).get('eth_getCode', [1])).toBe(CODE)
  await rm(join(folder, 'codes', name!))
  expect((await open(folder)).get('eth_getCode', [1])).toBe(undefined)
})

it('that cannot be read or written says so', async () => {
  const folder = await createFolder()
  await mkdir(join(folder, FILE), { recursive: true })
  await expect(open(folder)).rejects.toThrow("the fork's cache cannot be read: EISDIR")
  const file = join(folder, 'file')
  await writeFile(file, '')
  await expect(open(file)).rejects.toThrow("the fork's cache cannot be read: ENOTDIR")
  const other = await createFolder()
  const cache = await open(other)
  await writeFile(join(other, '1'), '')
  cache.put('a', [], '0x1')
  await expect(cache.close()).rejects.toThrow("the fork's cache cannot be written: E")
})

it('takes a block hash for a file name only if it is one', async () => {
  const cache = await openForkCache(await createFolder())
  await expect(cache.load(1n, '0x/../../../etc/passwd')).rejects.toThrow('expected a hex string of 32 bytes')
})

it('is written by two processes at once', async () => {
  const folder = await createFolder()
  const run = (writer: string) =>
    promisify(execFile)(process.execPath, [program.file, folder, '1', HASH, writer, '150'])
  await Promise.all([run('a'), run('b')])
  const text = await readFile(join(folder, FILE), 'utf8')
  const lines = text.trimEnd().split('\n')
  expect(lines.filter((line) => !line.startsWith('[1,"') || !line.endsWith(']'))).toEqual([])
  const cache = await open(folder)
  for (const writer of ['a', 'b']) {
    for (let i = 0; i < 150; i++) {
      expect(cache.get(`test_${writer}`, [i])).toBe(`0x${`${i % 10}`.repeat(1 + ((i * 37) % 3000))}`)
      expect(cache.get('eth_getCode', [writer, i])).toBe(`0x60${'00'.repeat(100 + (i % 5))}`)
    }
  }
  expect(await readdir(join(folder, 'codes'))).toHaveLength(5)
})

it('is refused in a page, where the module of files is empty', async () => {
  const folder = await createFolder()
  const outfile = join(folder, 'page.mjs')
  await build({
    stdin: {
      contents: "export { openForkCache } from './src/core/fork/cache.ts'",
      resolveDir: '.',
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    outfile,
    plugins: [
      {
        name: 'page',
        setup(build) {
          build.onLoad({ filter: /\/src\/core\/fork\/node\.ts$/ }, () => ({ contents: '' }))
        },
      },
    ],
  })
  const page: { openForkCache: typeof openForkCache } = await import(pathToFileURL(outfile).href)
  await expect(page.openForkCache('folder')).rejects.toThrow(
    'invalid option fork.cache: expected a database or { text }, since there are no files here',
  )
})

it('has the recipes of a chain in a file of its own, which goes on after a line that is not whole', async () => {
  const folder = await createFolder()
  const file = join(folder, '1', 'recipes.jsonl')
  const [to, other] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const
  const note = async (selector: `0x${string}`) => {
    const cache = await open(folder)
    const recipes = await cache.recipes(1n)
    recipes.note(`${to}${selector}`, [{ address: other, slot: HASH }])
    await cache.close()
    return recipes
  }
  await note('0x00000001')
  await appendFile(file, '[1,"preseal_recipe",["0x')
  // Two at once, as parallel workers.
  await Promise.all([note('0x00000002'), note('0x00000003')])
  const recipes = await note('0x00000004')
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  const line = (n: number) => `[1,"preseal_recipe",["${to}","0x0000000${n}"],{"${other}":["${HASH}"]}]`
  expect(lines.toSorted()).toEqual(
    [line(1), line(2), line(3), line(4), '[1,"preseal_recipe",["0x'].toSorted(),
  )
  const keys = [{ address: other }, { address: other, slot: HASH }]
  expect(recipes.keysOf(`${to}0x00000003`)).toEqual(keys)
  expect(await (await open(folder)).forks()).toEqual([])
})
