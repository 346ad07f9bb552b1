import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type CoverageReport,
  type FileCoverage,
  readCoverage,
  reportCoverage,
  saveCoverage,
  startCoverage,
  stopCoverage,
} from '../../../src/kits/coverage/index.ts'
import { compileVault, deployVault, SOURCE, type TestBuildInfo } from './vault.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'preseal-coverage-'))

/** The counts of a file by the text that they are of. */
function summarize({ statementMap, fnMap, branchMap, s, f, b }: FileCoverage): Record<string, unknown> {
  const lines = SOURCE.split('\n')
  const textOf = ({ start, end }: FileCoverage['statementMap'][string]) =>
    start.line === end.line ? lines[start.line - 1]!.slice(start.column, end.column) : 'many lines'
  return {
    statements: Object.entries(s).map(([id, count]) => `${count} ${textOf(statementMap[id]!)}`),
    functions: Object.entries(f).map(([id, count]) => `${count} ${fnMap[id]!.name}`),
    branches: Object.entries(b).map(([id, arms]) => `${arms.join('/')} ${textOf(branchMap[id]!.loc)}`),
  }
}

function vaultOf(report: CoverageReport): FileCoverage {
  const [[path, file]] = Object.entries(report.data) as [[string, FileCoverage]]
  expect(path).toMatch(/\/contracts\/Vault\.sol$/)
  expect(file.path).toBe(path)
  return file
}

/** Does what the tests below count. */
async function useVault(info: TestBuildInfo): Promise<void> {
  const { send, ask } = await deployVault(info)
  await send('f', 9n)
  await send('f', 20n)
  await send('f', 3n)
  await send('f', 5000n)
  await send('empty')
  expect(await ask('eth_call', 'f', 8n)).toMatch(/^execution reverted/)
  expect(await ask('eth_call', 'twice', 4n)).toBe(`0x${'8'.padStart(64, '0')}`)
}

/** What a call and transactions of {@link useVault} executed. */
const USED = {
  statements: [
    '5 require(x < 1000, "big")',
    '1 start = from',
    '4 require(x > 5, "low")',
    '3 if (x == 8) revert Bad(x)',
    '1 revert Bad(x)',
    '2 if (x == 9) { total = 1; } else { total = 2; }',
    '1 total = 1',
    '1 total = 2',
    '2 uint y = x > 10 ? 1 : 2',
    '2 for (uint i = 0; i < 3; i++) { y += i; }',
    '6 y += i',
    '2 return y + start',
    '1 return x * 2',
    '0 total = 3',
  ],
  functions: ['5 small', '1 constructor', '4 f', '1 empty', '1 twice', '0 never'],
  branches: [
    '4/1 require(x < 1000, "big")',
    '3/1 require(x > 5, "low")',
    '1/2 if (x == 8) revert Bad(x)',
    '1/1 if (x == 9) { total = 1; } else { total = 2; }',
    '1/1 x > 10 ? 1 : 2',
    '4/1 small(x)',
  ],
}

describe('coverage', () => {
  it.each([
    ['without optimiser', {}, '1 empty'],
    // Of an empty function it leaves no instruction that is only its own.
    ['with it', { optimizer: { enabled: true, runs: 200 } }, '0 empty'],
  ])('counts statements, functions and branches of code %s', async (_title, settings, empty) => {
    const info = compileVault(settings)
    const folder = newFolder()
    await useVault(info)
    saveCoverage(folder)
    const report = readCoverage({ artifacts: [info], folder })
    const counts = summarize(vaultOf(report))
    const sorted = (list: unknown) => [...(list as string[])].sort()
    expect(sorted(counts['statements'])).toEqual(sorted(USED.statements))
    expect(counts['functions']).toEqual(USED.functions.map((one) => one.replace('1 empty', empty)))
    expect(sorted(counts['branches'])).toEqual(sorted(USED.branches))
  })

  it('counts a loop each time it begins, whatever its kind', async () => {
    const source = `pragma solidity ^0.8.0;
contract Vault {
  uint total;
  constructor(uint) {}
  function loops(uint n) external returns (uint) {
    uint i = 0;
    while (i < n) { i++; if (i == 2) continue; total += i; }
    for (; i > 0;) { i--; if (i == 2) continue; total += i; }
    do { i++; if (i == 2) continue; total += i; } while (i < n);
    for (uint j = 0; j < n; j++) { if (j == 2) continue; total += j; }
    return total;
  }
}
`
    const info = compileVault({}, source)
    const folder = newFolder()
    const { ask } = await deployVault(info)
    for (const n of [5n, 4n, 0n]) expect(await ask('eth_call', 'loops', n)).toMatch(/^0x/)
    saveCoverage(folder)
    const { s, statementMap } = vaultOf(readCoverage({ artifacts: [info], folder }))
    const starts = Object.entries(statementMap).filter(([, { start }]) => start.column === 4)
    expect(starts.map(([id, { start }]) => [start.line, s[id]])).toEqual(
      [6, 7, 8, 9, 10, 11].map((line) => [line, 3]),
    )
  })

  it('counts the code of a contract in the transaction that creates it', async () => {
    const source = `pragma solidity ^0.8.0;
contract Child { uint public set; function init(uint x) external { set = x; } }
contract Vault {
  constructor(uint) {}
  function make(uint x) external returns (uint) { Child child = new Child(); child.init(x); return child.set(); }
}
`
    const info = compileVault({}, source)
    const folder = newFolder()
    const { send } = await deployVault(info)
    await send('make', 5n)
    saveCoverage(folder)
    const { f, fnMap } = vaultOf(readCoverage({ artifacts: [info], folder }))
    expect(Object.entries(f).map(([id, count]) => `${count} ${fnMap[id]!.name}`)).toEqual([
      '1 init',
      '1 constructor',
      '1 make',
    ])
  })

  it('counts linked code and its library by artifacts that are not linked', async () => {
    const source = `pragma solidity ^0.8.0;
library Twice { function double(uint x) external pure returns (uint) { return x * 2; } }
contract Vault {
  constructor(uint) {}
  function use(uint x) external pure returns (uint) { return Twice.double(x); }
}
`
    const address = `0x${'1c'.repeat(20)}` as const
    const linked = compileVault({}, source)
    const { Vault, Twice } = linked.output.contracts['contracts/Vault.sol']!
    const { bytecode } = Vault!.evm
    expect(bytecode.object).toMatch(/__\$.{34}\$__/)
    bytecode.object = bytecode.object.replace(/__\$.{34}\$__/g, address.slice(2))
    const folder = newFolder()
    const { chain, ask } = await deployVault(linked)
    const code = `0x${Twice!.evm.deployedBytecode.object}` as const
    await chain.live.request({ method: 'anvil_setCode', params: [address, code] })
    expect(await ask('eth_call', 'use', 4n)).toBe(`0x${'8'.padStart(64, '0')}`)
    saveCoverage(folder)
    const report = readCoverage({ artifacts: [compileVault({}, source)], folder })
    const { f, fnMap } = vaultOf(report)
    expect(Object.entries(f).map(([id, count]) => `${count} ${fnMap[id]!.name}`)).toEqual([
      '1 double',
      '1 constructor',
      '1 use',
    ])
    expect(report.notes).toEqual([])
  })

  it('counts a transaction when it is pre-confirmed, not when it is executed again', async () => {
    const info = compileVault()
    const folder = newFolder()
    const { chain, send } = await deployVault(info)
    await send('f', 20n)
    const hash = await send('f', 30n)
    await chain.live.request({ method: 'debug_traceTransaction', params: [hash] })
    // Executes the block under construction again.
    await chain.live.request({ method: 'anvil_setCoinbase', params: [chain.accounts[1]!.address] })
    await chain.seal()
    await chain.live.request({ method: 'debug_traceBlockByNumber', params: ['latest'] })
    saveCoverage(folder)
    const { statements } = summarize(vaultOf(readCoverage({ artifacts: [info], folder })))
    expect((statements as string[]).filter((one) => one.endsWith('return y + start'))).toEqual([
      '2 return y + start',
    ])
  })

  it('counts an estimate if it fails, since its transaction is not sent then', async () => {
    const info = compileVault()
    const folder = newFolder()
    const { ask } = await deployVault(info)
    expect(await ask('eth_estimateGas', 'f', 3n)).toBe('execution reverted')
    expect(await ask('eth_estimateGas', 'f', 20n)).toMatch(/^0x/)
    saveCoverage(folder)
    const { branches } = summarize(vaultOf(readCoverage({ artifacts: [info], folder })))
    expect((branches as string[]).filter((one) => one.includes('low'))).toEqual(['0/1 require(x > 5, "low")'])
  })

  it('adds what several processes wrote, and what one wrote last', async () => {
    const info = compileVault()
    const folder = newFolder()
    for (let round = 0; round < 2; round++) {
      const { send } = await deployVault(info)
      await send('empty')
      saveCoverage(folder)
      await send('empty')
      saveCoverage(folder)
      stopCoverage()
    }
    expect(readdirSync(join(folder, '.executed'))).toHaveLength(2)
    const { functions } = summarize(vaultOf(readCoverage({ artifacts: [info], folder })))
    expect((functions as string[]).filter((one) => one.endsWith('empty'))).toEqual(['4 empty'])
  })

  it('reads the build info of Hardhat 3 and of Foundry, beside files that cannot be read', async () => {
    const { input, output } = compileVault()
    const folder = newFolder()
    await useVault({ input, output })
    saveCoverage(folder)
    const artifacts = newFolder()
    writeFileSync(join(artifacts, 'a.json'), JSON.stringify({ input }))
    writeFileSync(join(artifacts, 'a.output.json'), JSON.stringify({ output }))
    writeFileSync(join(artifacts, 'b.json'), '{"input": ')
    writeFileSync(join(folder, '.executed', 'cut.json'), '{"version":1,"codes":[{"code":"0x6')
    const report = readCoverage({ artifacts, folder })
    expect(vaultOf(report).s).toEqual(vaultOf(readCoverage({ artifacts: [{ input, output }], folder })).s)
    expect(report.notes.map((note) => note.replace(/^.*\/|(?<=read: ).*/g, ''))).toEqual([
      'b.json cannot be read: ',
      'cut.json cannot be read: ',
    ])
  })
})

describe('what does not match', () => {
  /** The report of a chain that ran one build info, by another. */
  async function reportBy(change: (info: TestBuildInfo) => void): Promise<CoverageReport> {
    const folder = newFolder()
    await useVault(compileVault())
    saveCoverage(folder)
    const info = compileVault()
    change(info)
    return readCoverage({ artifacts: [info], folder })
  }
  const vault = ({ output }: TestBuildInfo) => output.contracts['contracts/Vault.sol']!['Vault']!.evm

  it('counts only lines without an AST, and says so', async () => {
    const report = await reportBy(({ output }) => {
      delete output.sources['contracts/Vault.sol']!.ast
    })
    const { s, statementMap, f, b } = vaultOf(report)
    const lines = Object.fromEntries(
      Object.entries(s).map(([id, count]) => [statementMap[id]!.start.line, count]),
    )
    expect(lines).toMatchObject({ 11: 4, 12: 3, 13: 2, 19: 1, 20: 0 })
    expect([f, b]).toEqual([{}, {}])
    expect(report.notes).toEqual([
      'contracts/Vault.sol: only its lines are counted, since the build info has no AST',
    ])
  })

  it('leaves out a source without its text, and says so', async () => {
    const report = await reportBy(({ input }) => {
      delete input.sources['contracts/Vault.sol']!.content
    })
    expect(report).toEqual({
      data: {},
      notes: ['contracts/Vault.sol: left out, since the build info does not have its text'],
    })
  })

  it.each([
    ['truncated', (map: string) => map.split(';').slice(0, 40).join(';')],
    ['malformed', (map: string) => map.replace(/(?<=^(?:[^;]*;){40})[^;]*/, 'x:y:z')],
  ])('counts what a source map describes that is %s, and says so', async (_title, change) => {
    const report = await reportBy((info) => {
      const code = vault(info).deployedBytecode
      code.sourceMap = change(code.sourceMap)
    })
    expect(summarize(vaultOf(report))['functions']).toContain('1 constructor')
    expect(report.notes).toEqual([
      'contracts/Vault.sol: Vault: its source map is shorter than its code, or malformed',
    ])
  })

  it('counts code of other metadata, and says so', async () => {
    const folder = newFolder()
    await useVault(compileVault({}, `${SOURCE}\n// Another comment.\n`))
    saveCoverage(folder)
    const report = readCoverage({ artifacts: [compileVault()], folder })
    expect(summarize(vaultOf(report))['functions']).toEqual(USED.functions)
    expect(report.notes).toEqual([
      "contracts/Vault.sol: Vault: the metadata of the executed code differ from the compiled one's",
    ])
  })

  it('shows nothing as covered by code that no build info has, and says so', async () => {
    const report = await reportBy((info) => {
      for (const code of [vault(info).bytecode, vault(info).deployedBytecode])
        code.object = code.object.replace('60', '61')
    })
    expect(Object.values(vaultOf(report).s).every((count) => count === 0)).toBe(true)
    expect(report.notes).toEqual(['codes that were executed, but that no build info has: 2'])
  })

  it('has notes for values that are no build info', () => {
    startCoverage()
    const folder = newFolder()
    saveCoverage(folder)
    stopCoverage()
    expect(readCoverage({ artifacts: [{}, { output: 5 }, []], folder })).toEqual({
      data: {},
      notes: ['the build info has no contracts'],
    })
    expect(readCoverage({ artifacts: 'none', root: folder, folder }).notes).toEqual([
      `there is no build info in ${folder}/none`,
      'the build info has no contracts',
    ])
  })

  it('says which packages reports need', async () => {
    await expect(reportCoverage({ artifacts: [], folder: newFolder() })).rejects.toMatchObject({
      name: 'ReportersMissingError',
    })
  })
})

describe('a chain', () => {
  it('is not watched before coverage is started, nor after it was stopped', async () => {
    const info = compileVault()
    const folder = newFolder()
    const { send } = await deployVault(info)
    stopCoverage()
    await send('empty')
    saveCoverage(folder)
    expect(readdirSync(folder)).toEqual([])
    startCoverage()
    await send('empty')
    saveCoverage(folder)
    const { functions } = summarize(vaultOf(readCoverage({ artifacts: [info], folder })))
    expect(functions).toEqual(['0 small', '0 constructor', '0 f', '1 empty', '0 twice', '0 never'])
  })
})
