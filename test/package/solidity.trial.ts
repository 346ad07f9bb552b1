/** The corpus of failing contracts, compiled by each compiler and setting: causes and innermost lines. */
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createChain, createManualClock } from '../../src/index.ts'
import { install } from './install.ts'
import { createProject, nodeCommand, type Project } from './project.ts'
import { CASES, lineOf, sourceFor } from './solidity/cases.ts'
import { type Compiled, compile, nameOf, SETTINGS } from './solidity/compile.ts'
import { requestsOf, runCase } from './solidity/runCase.ts'

const compilers = await install(join(import.meta.dirname, 'solidity'))

/** The lines that optimised code does not show; all of them with via-IR, whose optimiser loses places. */
const MISSES: Readonly<Record<string, readonly string[]>> = {
  '0.8 via IR, optimised': [
    'requireTwoEmpty',
    'indexFixed',
    'enum',
    'zeroFunction',
    'staticWrite',
    'assemblyRevert',
    'overflowInternal',
    'initialValue',
  ],
}

/** The first account of Hardhat's mnemonic. */
const FIRST_ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** The lines that Hardhat's own network shows of each setting, of those that it should. */
const ofHardhat: Record<string, string> = {}

/** A project with Hardhat alone. */
let hardhat: Project
beforeAll(async () => {
  const PATH = dirname(nodeCommand('22')) + delimiter + process.env['PATH']
  const installed = await install(join(import.meta.dirname, 'hardhat3'), { PATH })
  const lines = await readFile(join(import.meta.dirname, 'hardhat3/lines.js'), 'utf8')
  hardhat = await createProject({ tools: ['hardhat'], installed, files: { 'lines.js': lines } })
})

describe.each(SETTINGS.map((setting) => ({ name: nameOf(setting), setting })))(
  'solc $name',
  ({ name, setting }) => {
    const wanted = new Map(
      CASES.flatMap((one) => {
        const source = sourceFor(one, setting.minor)
        return source === undefined ? [] : [[one, lineOf(source)] as const]
      }),
    )

    let compiled: Compiled
    beforeAll(() => {
      compiled = compile(setting, compilers)
    })

    it('shows the cause of every failure, and its line except for the listed misses', async () => {
      const chain = await createChain({ mining: 'auto', clock: createManualClock(), stackTraces: [compiled] })
      const wrong: string[] = []
      const misses: string[] = []
      for (const [one, line] of wanted) {
        const trace = await runCase(chain, compiled, one)
        const cause = setting.minor < 8 ? (one.before8 ?? one.cause) : one.cause
        if (trace?.cause !== cause) wrong.push(`${one.name}: ${trace?.cause}, expected ${cause}`)
        const [frame] = trace?.frames ?? []
        const isRight = frame?.file === `contracts/${one.name}.sol` && frame.line === line
        if (!isRight) misses.push(one.name)
      }
      await chain.close()
      expect(wrong).toEqual([])
      expect(misses).toEqual(MISSES[name] ?? [])
    })

    it("shows no fewer lines than Hardhat's own network", async () => {
      const cases = Object.fromEntries(
        [...wanted.keys()].map((one) => [one.name, requestsOf(compiled, one, FIRST_ACCOUNT)]),
      )
      await writeFile(join(hardhat.folder, 'corpus.json'), JSON.stringify({ ...compiled, cases }))
      const { stdout } = await hardhat.run(nodeCommand('22'), ['lines.js', 'corpus.json'])
      const lines = JSON.parse(stdout) as Record<string, number | null>
      const right = [...wanted].filter(([one, line]) => lines[one.name] === line).length
      ofHardhat[name] = `${right} of ${wanted.size}`
      expect(right).toBeLessThanOrEqual(wanted.size - (MISSES[name]?.length ?? 0))
    })
  },
)

it('finds at least 95 % of the lines of optimised code', () => {
  const optimised = SETTINGS.filter(({ optimizes }) => optimizes)
  const total = optimised.flatMap(({ minor }) =>
    CASES.filter((one) => sourceFor(one, minor) !== undefined),
  ).length
  const missed = Object.values(MISSES).flat().length
  // biome-ignore lint/suspicious/noConsole: the misses, and Hardhat's lines beside ours, are results.
  console.log(`right lines of Hardhat's own network: ${JSON.stringify(ofHardhat)}
${total - missed} of ${total} lines of optimised code; missed: ${JSON.stringify(MISSES)}`)
  expect(missed / total).toBeLessThan(0.05)
})
