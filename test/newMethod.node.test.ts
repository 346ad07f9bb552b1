/** The files of a new method, as `npm run new:method` writes them. */
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { readTags } from '../scripts/methodFiles.ts'
import { newMethod } from '../scripts/methodTemplate.ts'
import { FULL } from './full.ts'
import { ROOT } from './tools/sources.ts'

const NAMES = ['eth_newRead', 'debug_newTrace', 'anvil_newCheat', 'wallet_newCall']

/** What the type checker says of files that are not written. */
function problemsOf(files: ReadonlyMap<string, string>): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.getSourceFile = (path, version) => {
    const text = files.get(path)
    return text === undefined ? getSourceFile(path, version) : ts.createSourceFile(path, text, version)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  return [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path)!
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  })
}

describe('the files of a new method', () => {
  it('have valid types, whatever its class', () => {
    // The tests import most of the sources.
    const files = NAMES.flatMap(newMethod).filter(({ path }) => FULL || path.startsWith('src/'))
    expect(problemsOf(new Map(files.map(({ path, text }) => [join(ROOT, path), text])))).toEqual([])
  })

  it('are named by the method, and not written for another name', () => {
    expect(newMethod('eth_foo').map(({ path }) => path)).toEqual([
      'src/rpc/methods/eth_foo.ts',
      'test/rpc/methods/eth_foo.test.ts',
    ])
    expect(newMethod('anvil_foo').map(({ path }) => path)).toEqual([
      'src/rpc/methods/anvil_foo.ts',
      'test/core/cheats/foo.test.ts',
    ])
    expect(() => newMethod('../foo')).toThrow('../foo is no name of a method')
  })

  it('are not written for a name that a method has, or an alias that it would get', () => {
    expect(() => newMethod('eth_call')).toThrow('eth_call exists: src/rpc/methods/eth_call.ts')
    expect(() => newMethod('hardhat_setBalance')).toThrow(
      'hardhat_setBalance exists: src/rpc/methods/anvil_setBalance.ts',
    )
    expect(() => newMethod('anvil_setAccountCode')).toThrow(
      'evm_setAccountCode exists: src/rpc/methods/anvil_setCode.ts',
    )
  })

  it('are not written in place of a file', () => {
    expect(() => newMethod('anvil_time')).toThrow('test/core/cheats/time.test.ts exists')
  })

  it('have the aliases of a cheat, except those of `miner`', () => {
    expect(newMethod('evm_foo')[0]!.text).toContain("defineCheat('foo', {")
    expect(newMethod('miner_foo')[0]!.text).not.toContain('defineCheat')
  })
})

describe('the comment of a method', () => {
  const read = (comment: string) =>
    readTags(
      'eth_foo.ts',
      'eth_foo',
      `/**\n * Returns null.\n *\n${comment}\n */\nexport const eth_foo = 1\n`,
    )

  it('has tags', () => {
    expect(
      read(' * @group Fees\n * @views one | two,\n *   three\n * @example [{"to":\n *   "$bob"}]'),
    ).toEqual({
      group: 'Fees',
      views: { standard: 'one', preconf: 'two,\nthree' },
      example: [{ to: '$bob' }],
    })
  })

  it.each([
    [' * @example []', 'eth_foo.ts has no @group'],
    [' * @group Fees\n * @views both', 'eth_foo.ts: expected `@views STANDARD | PRECONF`, got `both`'],
    [
      ' * @group Fees\n * @views a | b | c',
      'eth_foo.ts: expected `@views STANDARD | PRECONF`, got `a | b | c`',
    ],
    [' * @group Fees\n * @example [0x1]', 'eth_foo.ts: expected a JSON array as @example, got `[0x1]`'],
    [' * @group Fees\n * @example {}', 'eth_foo.ts: expected a JSON array as @example, got `{}`'],
  ])('is refused if it is %j', (comment, message) => {
    expect(() => read(comment)).toThrow(message)
  })
})
