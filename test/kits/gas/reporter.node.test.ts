import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createGasReporter, type GasReporterOptions } from '../../../src/kits/gas/index.ts'
import { ROOT } from '../../tools/sources.ts'

const TABLE = `
Gas of transactions  count     min    mean  median     max  size
Token
  constructor            2  389582  389582  389582  389582  1337
  approve                3   46095   46095   46095   46095
  transfer               7   51492   51502   51504   51504
`
const SNAPSHOT = `\
Token#approve(address,uint256) (min: 46095, mean: 46095, median: 46095, max: 46095, count: 3)
Token#constructor (min: 389582, mean: 389582, median: 389582, max: 389582, size: 1337, count: 2)
Token#transfer(address,uint256) (min: 51492, mean: 51502, median: 51504, max: 51504, count: 7)
`

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preseal-gas-'))
  path = join(folder, '.gas-snapshot')
  return () => rm(folder, { recursive: true })
})

/** Runs the suite. @returns its exit code and its output. */
function run(options: GasReporterOptions, args: readonly string[] = [], env: Record<string, string> = {}) {
  const all = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/kits/gas/suite/vitest.config.ts',
    ...args,
  ]
  const { CI: _ci, FORCE_COLOR: _color, ...own } = process.env
  return new Promise<{ readonly code: unknown; readonly output: string }>((resolve) => {
    const settings = { NO_COLOR: '1', GAS_REPORTER: JSON.stringify(options), ...env }
    execFile(process.execPath, all, { cwd: ROOT, env: { ...own, ...settings } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr }),
    )
  })
}

describe('the gas reporter of vitest', () => {
  it('counts each transaction of passed tests once, whatever the number of workers and the order', async () => {
    const json = join(folder, 'gas.json')
    const shuffled = ['--sequence.shuffle.tests', '--sequence.seed=3']
    const parallel = await run({ snapshot: path, json }, ['--maxWorkers=2', ...shuffled])
    expect(parallel).toMatchObject({ code: 0 })
    expect(parallel.output).toContain(TABLE)
    expect(parallel.output).toContain(`${path} was written`)
    expect(await readFile(path, 'utf8')).toBe(SNAPSHOT)
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
      contracts: [{ name: 'Token' }],
      notes: [],
    })

    const single = await run({ snapshot: path }, ['--no-isolate', '--maxWorkers=1'], { CI: 'true' })
    expect(single).toMatchObject({ code: 0 })
    expect(single.output).toContain(TABLE)
    expect(single.output).toContain(`gas is as in ${path}`)
  })

  it('fails the run if a number differs by more than the tolerance', async () => {
    const stored = SNAPSHOT.replace('max: 46095', 'max: 46000').replace(
      'Token#constructor',
      'Old#constructor',
    )
    await writeFile(path, stored)
    const strict = await run({ snapshot: path, table: false })
    expect(strict).toMatchObject({ code: 1 })
    expect(strict.output).not.toContain('Gas of transactions')
    expect(strict.output).toContain(
      `Token#approve(address,uint256)  max     46000 → 46095 (+95, +0.21 %)\n+ Token#constructor\n- Old#constructor\ngas differs from ${path}`,
    )
    const tolerant = await run({ snapshot: path, tolerance: 0.25 })
    expect(tolerant).toMatchObject({ code: 0 })
    expect(tolerant.output).toContain(`gas is as in ${path}, within 0.25 %`)
    expect(await readFile(path, 'utf8')).toBe(stored)

    expect(await run({ snapshot: path }, ['-u'])).toMatchObject({ code: 0 })
    expect(await readFile(path, 'utf8')).toBe(SNAPSHOT)
  })

  it('fails in CI if there is no snapshot, and leaves it alone if only some tests ran', async () => {
    const missing = await run({ snapshot: path }, [], { CI: 'true' })
    expect(missing).toMatchObject({ code: 1 })
    expect(missing.output).toContain(`${path} does not exist: expected the numbers of a former run`)
    const partial = await run({ snapshot: path }, ['-t', 'approves'])
    expect(partial).toMatchObject({ code: 0 })
    expect(partial.output).toContain(`${path} is neither checked nor written: only some tests ran`)
    await expect(readFile(path)).rejects.toThrow('ENOENT')
  })

  it('names contracts by artifacts in folders, and notes what it cannot read', async () => {
    await writeFile(join(folder, 'broken.json'), '{"abi": [')
    // Interfaces have no code, and are left out.
    await writeFile(join(folder, 'Empty.json'), '{"abi": []}')
    const { code, output } = await run({ artifacts: [folder, join(folder, 'absent')] })
    expect(code).toBe(0)
    expect(output).toContain('0x5fbdb2315678afecb367f032d93f642f64180aa3\n  constructor ')
    expect(output).toContain('  0xa9059cbb ')
    expect(output).toMatch(/note: the artifact .*broken\.json cannot be read: .*JSON/)
    expect(output).toMatch(/note: artifacts cannot be read: ENOENT/)
    expect(output).not.toContain('Empty')
    expect(output).toContain('note: contracts that no artifact has the code of are listed by address\n')
  })

  it.each([
    [{ tolerance: -1 }, 'invalid option tolerance: expected a number of percent >= 0'],
    [{ snapshot: 1 }, 'invalid option snapshot: expected true, false or a path'],
    [{ artifacts: 1 }, 'invalid option artifacts: expected a path, paths, or artifacts by name'],
  ])('refuses %j', (options, message) => {
    expect(() => createGasReporter(options as never)).toThrow(message)
  })
})
