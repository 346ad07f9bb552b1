/**
 * Every snippet of the site runs, prints what its comments `// => …` say, and leaves no handle. A snippet is a module of
 * `docs/snippets/`; its comments, in order, are all the lines that it prints, if it has any.
 */
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createChain } from 'preseal'
import { serve } from 'preseal/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const folder = new URL('../../docs/snippets/', import.meta.url)
const snippets = readdirSync(folder).filter((name) => name.endsWith('.ts'))

/** What keeps a process alive, by kind. */
function handles(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) {
    if (/^(Timeout|TCP\w+|Pipe\w*|MessagePort|Worker|ProcessWrap|FSEvent\w*)$/.test(name))
      counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** The handles that there are beyond those before, once vitest's own, which come and go, have ended; at most 10 s. */
async function excessOf(before: ReadonlyMap<string, number>): Promise<string[]> {
  const end = performance.now() + 10_000
  for (;;) {
    const excess = [...handles()].filter(([kind, count]) => count > (before.get(kind) ?? 0))
    if (excess.length === 0 || performance.now() > end) return excess.map(([kind]) => kind)
    // A timer would be a handle itself.
    await new Promise(setImmediate)
  }
}

describe('snippets of the site', () => {
  it.each(snippets)('%s', async (name) => {
    const lines: string[] = []
    const print = (...values: unknown[]) => void lines.push(...values.join(' ').split('\n'))
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'log').mockImplementation(print)
    vi.spyOn(console, 'warn').mockImplementation(print)
    onTestFinished(() => void vi.restoreAllMocks())
    const before = handles()

    await import(`../../docs/snippets/${name.slice(0, -'.ts'.length)}.ts`)

    const text = readFileSync(new URL(name, folder), 'utf8')
    const stated = [...text.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => line!)
    if (stated.length > 0) expect(lines.join('\n').trimEnd()).toBe(stated.join('\n'))
    expect(error.mock.calls).toEqual([])
    expect(await excessOf(before)).toEqual([])
  })

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)('client.py', async () => {
    // However slow Python starts, the block under construction is the first.
    await using chain = await createChain({ blockTime: 3_600_000, preconfInterval: 200 })
    const server = await serve(chain, { port: 0, preconfPort: 0 })
    onTestFinished(() => server.close())
    const program = readFileSync(new URL('client.py', folder), 'utf8')
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      program.replace('http://127.0.0.1:8546', server.preconfUrl),
    ])
    expect(stdout).toBe('pre-confirmed in block 1 with status 0x1\nbob has 10001 ether\n')
  })
})
