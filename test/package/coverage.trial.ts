/**
 * preseal/coverage in a project with vitest, with the reports of istanbul, on the example; and the same figures as
 * solidity-coverage for a suite over contracts of packages.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type axe from 'axe-core'
import { chromium } from 'playwright'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { FileCoverage } from '../../src/kits/coverage/index.ts'
import { LAUNCH_OPTIONS } from '../tools/chromium.ts'
import { compileExample, exampleOf } from './coverage/example.ts'
import { install } from './install.ts'
import { createProject, type Project, toolCommand } from './project.ts'

const PATH = 'contracts/Vault.sol'
const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')

describe('preseal/coverage in vitest', () => {
  let project: Project
  beforeAll(async () => {
    const installed = await install(join(import.meta.dirname, 'coverage'))
    project = await createProject({
      tools: ['viem', 'vitest'],
      others: {
        'istanbul-lib-coverage': installed,
        'istanbul-lib-report': installed,
        'istanbul-reports': installed,
      },
      files: {
        ...compileExample(),
        'vitest.config.mjs': exampleOf('vitest.config.mjs'),
        'vault.test.mjs': exampleOf('vault.test.mjs'),
        // The same in another worker.
        'again.test.mjs': exampleOf('vault.test.mjs'),
      },
    })
  }, 600_000)

  it.each(['forks', 'threads'])('adds up what the workers of the pool %s execute', async (pool) => {
    const { stdout } = await project.run(toolCommand('vitest'), ['run', '--pool', pool, '--reporter', 'dot'])
    expect(stdout).toMatch(/Tests {2}4 passed/)
    expect(stdout).toMatch(/ Vault\.sol +\| +50 \| +25 \| +57\.14 \| +45\.45 \| /)
    const lcov = readFileSync(join(project.folder, 'coverage/lcov.info'), 'utf8')
    const lines = Object.fromEntries(
      [...lcov.matchAll(/^DA:(\d+),(\d+)$/gm)].map(([, line, count]) => [Number(line), Number(count)]),
    )
    expect(lcov).toMatch(/^SF:contracts\/Vault\.sol$/m)
    expect(lines).toEqual({ 13: 0, 18: 2, 22: 2, 26: 4, 27: 2, 31: 0, 32: 0, 33: 0, 34: 0, 38: 0, 43: 2 })
    expect(readFileSync(join(project.folder, 'coverage/Vault.sol.html'), 'utf8')).toContain(
      'function withdraw',
    )
    const json = JSON.parse(readFileSync(join(project.folder, 'coverage/coverage-final.json'), 'utf8'))
    expect(Object.keys(json)).toEqual([join(project.folder, PATH)])
  })

  it.runIf(LAUNCH_OPTIONS !== undefined)('writes pages that pass the checks of axe', async () => {
    await project.run(toolCommand('vitest'), ['run', '--reporter', 'dot'])
    const browser = await chromium.launch(LAUNCH_OPTIONS)
    onTestFinished(() => browser.close())
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme })
      for (const file of ['index.html', 'Vault.sol.html']) {
        await page.goto(pathToFileURL(join(project.folder, 'coverage', file)).href)
        // Also with the highlight of the first part that is not covered.
        for (const key of ['Shift', 'n']) {
          await page.keyboard.press(key)
          await page.evaluate(AXE)
          const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
          const found = violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))
          expect({ colorScheme, file, found }).toEqual({ colorScheme, file, found: [] })
        }
      }
    }
  })

  it('works in a process without a runner', async () => {
    const { stdout } = await project.run(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { startCoverage, saveCoverage, readCoverage } from 'preseal/coverage'
startCoverage()
saveCoverage('other')
console.log(JSON.stringify(readCoverage({ artifacts: 'none', folder: 'other' }).notes))`,
    ])
    expect(JSON.parse(stdout)).toEqual([
      `there is no build info in ${join(project.folder, 'none')}`,
      'the build info has no contracts',
    ])
  })
})

/** The parts of packages that are compared: those that solidity-coverage instruments are in `contracts`. */
const PIECES: Readonly<Record<string, { readonly folder: string; readonly files: readonly string[] }>> = {
  openzeppelin: {
    folder: '@openzeppelin/contracts',
    files: [
      'access/Ownable.sol',
      'interfaces/draft-IERC6093.sol',
      'token/ERC20/ERC20.sol',
      'token/ERC20/IERC20.sol',
      'token/ERC20/extensions/IERC20Metadata.sol',
      'utils/Context.sol',
      'utils/Pausable.sol',
    ],
  },
  solmate: {
    folder: 'solmate/src',
    files: [
      'auth/Owned.sol',
      'tokens/ERC20.sol',
      'tokens/WETH.sol',
      'utils/FixedPointMathLib.sol',
      'utils/SafeTransferLib.sol',
    ],
  },
  uniswap: {
    folder: '@uniswap/v2-core/contracts',
    files: [
      'UniswapV2ERC20.sol',
      'UniswapV2Factory.sol',
      'UniswapV2Pair.sol',
      ...['IERC20', 'IUniswapV2Callee', 'IUniswapV2ERC20', 'IUniswapV2Factory', 'IUniswapV2Pair'].map(
        (name) => `interfaces/${name}.sol`,
      ),
      ...['Math', 'SafeMath', 'UQ112x112'].map((name) => `libraries/${name}.sol`),
    ],
  },
}

/** Figures by what they are of, such as `Uses.sol statement 14:8`. */
type Figures = Map<string, string>

/** The figures of a report; those of branches that begin on one line are one. */
function figuresOf(data: Readonly<Record<string, FileCoverage>>, countLines: LineCounts): Figures {
  const figures: Figures = new Map()
  const add = (key: string, value: string): void => {
    const others = figures.get(key)
    figures.set(key, others === undefined ? value : [...others.split(' '), value].sort().join(' '))
  }
  for (const [path, file] of Object.entries(data)) {
    const name = path.replace(/^(?:.*\/)?contracts\//, '')
    const { statementMap, fnMap, branchMap, s, f, b } = file
    for (const [line, count] of Object.entries(countLines(file))) add(`${name} line ${line}`, `${count}`)
    for (const [id, count] of Object.entries(s)) {
      const { line, column } = statementMap[id]!.start
      add(`${name} statement ${line}:${column}`, `${count}`)
    }
    for (const [id, count] of Object.entries(f)) {
      const { line, name: called } = fnMap[id]!
      add(`${name} function ${line} ${called}`, `${count}`)
    }
    for (const [id, arms] of Object.entries(b)) add(`${name} branch ${branchMap[id]!.line}`, arms.join('/'))
  }
  return figures
}

type LineCounts = (file: FileCoverage) => Readonly<Record<string, number>>

describe('preseal/coverage and solidity-coverage', () => {
  const folder = join(import.meta.dirname, 'coverage')
  let project: Project
  let ours: Figures
  let theirs: Figures
  beforeAll(async () => {
    const installed = await install(folder)
    const packages = join(installed, 'node_modules')
    const own = ['contracts/Uses.sol', 'hardhat.config.cjs', 'test/suite.cjs']
    const pieces = Object.entries(PIECES).flatMap(([name, { folder, files }]) =>
      files.map((file) => [`contracts/${name}/${file}`, readFileSync(join(packages, folder, file), 'utf8')]),
    )
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    project = await createProject({
      type: 'commonjs',
      tools: Object.keys(dependencies),
      installed,
      files: {
        ...Object.fromEntries(own.map((file) => [file, readFileSync(join(folder, file), 'utf8')])),
        ...Object.fromEntries(pieces),
      },
    })
    const env = { CI: 'true', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', HOME: project.folder }
    const hardhat = (args: readonly string[], own = {}) =>
      project.run(join(packages, '.bin/hardhat'), args, { env: { ...env, ...own }, timeout: 240_000 })
    await hardhat(['coverage'])
    await hardhat(['test', '--network', 'preseal'], { COVERAGE: 'true' })
    const read = (file: string) => JSON.parse(readFileSync(join(project.folder, file), 'utf8'))
    const istanbul = createRequire(join(packages, 'any.js'))('istanbul-lib-coverage')
    ours = figuresOf(read('ours/coverage-final.json'), (file) =>
      istanbul.createFileCoverage(file).getLineCoverage(),
    )
    // It has counts of lines of its own.
    theirs = figuresOf(read('coverage.json'), (file) => (file as FileCoverage & { l: object }).l as never)
  }, 600_000)

  /** The text of a figure's line, from its statement on. */
  function textOf(key: string): string {
    const [, file, line, column = '0'] = /^(\S+) \w+ (\d+):?(\d+)?/.exec(key)!
    const text = readFileSync(join(project.folder, 'contracts', file!), 'utf8').split('\n')[Number(line) - 1]!
    return text.slice(Number(column)).trim()
  }

  /** The figures that one report has and the other has not, by the text of their lines, each once. */
  const onlyIn = (some: Figures, others: Figures, kind: string): string[] =>
    [...some.keys()].filter((key) => key.includes(` ${kind} `) && !others.has(key)).map(textOf)

  it('count all statements, functions and lines that both have alike, and each branch', () => {
    const different = [...theirs].filter(([key, value]) => (ours.get(key) ?? value) !== value)
    const common = [...theirs.keys()].filter((key) => ours.has(key)).map((key) => key.split(' ')[1]!)
    expect(count(common)).toEqual({ line: 306, statement: 215, function: 103, branch: 80 })
    // It counts the operands of `||` as branches too.
    expect(different.map(([key]) => key.replace(/\S*\//, ''))).toEqual([
      'SafeMath.sol branch 15',
      'UniswapV2Pair.sol branch 46',
      'UniswapV2Pair.sol branch 160',
      'UniswapV2Pair.sol branch 178',
    ])
    for (const [key, value] of different) {
      expect(textOf(key)).toContain('||')
      expect(value.split(' ')).toContain(ours.get(key))
    }
  })

  it('differ in what is a statement', () => {
    expect(onlyIn(theirs, ours, 'statement')).toEqual([])
    const added = onlyIn(ours, theirs, 'statement')
    // It leaves out assignments, `revert` with an error, assembly, and the body of `receive`.
    const isKnown = /^(?:[\w.[\]]+ [-+*/]?= |revert \w+\(|assembly|deposit\(\);$)/
    const kinds = added.filter((text) => !isKnown.test(text))
    expect(kinds).toEqual([])
    expect(added).toHaveLength(102)
  })

  it('differ in what is a function and a line', () => {
    expect(onlyIn(theirs, ours, 'function')).toEqual([])
    expect(onlyIn(ours, theirs, 'function')).toEqual(['receive() external payable virtual {'])
    // Neither the place of a modifier's body nor a block is executed by itself.
    const lines = onlyIn(theirs, ours, 'line').filter((text) => !/^(?:_;|unchecked \{|\{)/.test(text))
    expect(lines).toEqual([])
    const others = onlyIn(ours, theirs, 'line').filter((text) => !/else/.test(text))
    expect(others).toEqual([])
    expect([onlyIn(ours, theirs, 'branch'), onlyIn(theirs, ours, 'branch')]).toEqual([[], []])
  })
})

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
