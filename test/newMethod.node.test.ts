/** The files of a new method, as `npm run new:method` writes them. */
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
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
})
