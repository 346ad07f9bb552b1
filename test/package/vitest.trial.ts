/** preseal/vitest, preseal/gas and preseal/coverage in the other major versions of vitest that the peer range allows. */
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileExample, exampleOf as coverageExampleOf } from './coverage/example.ts'
import { install, installPackages } from './install.ts'
import { newestIn } from './peers.ts'
import { createProject, nodeCommand, type Project, toJavaScript, toolCommand } from './project.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../examples', path), 'utf8')

/** The newest version of each range, or a known one without the registry. vitest 5 requires Node 22. */
const VERSIONS = await Promise.all(
  (
    [
      ['^3.2.0', '3.2.7', '20'],
      ['^5.0.0', '5.1.1', '22'],
    ] as const
  ).map(async ([range, known, node]) => ({
    version: await newestIn('vitest', range).catch(() => known),
    node,
  })),
)

const WAITING = `
import { createChainTest } from 'preseal/vitest'
const test = createChainTest()
test('sends, and fails', async ({ standard }) => {
  const [from] = await standard.request({ method: 'eth_accounts' })
  await standard.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
  throw new Error('of the test')
})
`

describe.each(VERSIONS)('vitest $version on Node $node', ({ version, node }) => {
  const isOld = version.startsWith('3.')
  const command = nodeCommand(node)
  const env = { PATH: dirname(command) + delimiter + process.env['PATH'] }
  let installed: string
  beforeAll(async () => {
    installed = await installPackages(`vitest-${version}`, { vitest: version }, env)
  }, 600_000)

  const create = (
    files: Readonly<Record<string, string>>,
    others: Readonly<Record<string, string>> = {},
    tools: readonly string[] = ['viem'],
  ) => createProject({ tools, others: { ...others, vitest: installed }, files })
  const vitest = (project: Project, ...args: readonly string[]) =>
    project.run(command, ['node_modules/vitest/vitest.mjs', 'run', ...args], { env: { ...env, CI: '' } })

  it('runs the examples, with a report of gas', async () => {
    const own = (text: string) => text.replace('../contracts/token.ts', './contracts.js')
    const example = own(read('testRunners/vitest.test.ts'))
    const project = await create({
      'chain.test.ts': isOld ? example.replace('test.override(', 'test.scoped(') : example,
      'fork.test.ts': own(read('testRunners/fork.test.ts')),
      'fork.jsonl': read('testRunners/fork.jsonl'),
      'gas.config.ts': own(read('testRunners/gas.config.ts')),
      'contracts.js': toJavaScript(read('contracts/token.ts'), 'esm'),
    })
    const { stdout: first } = await vitest(project, '--config', 'gas.config.ts')
    expect(first).toMatch(/Tests {2}5 passed/)
    expect(first).toMatch(/Token\n {2}constructor +\d.*\n {2}transfer +4 /)
    expect(first).toContain('.gas-snapshot was written\n')
    const { stdout: second } = await vitest(project, '--config', 'gas.config.ts')
    expect(second).toContain('gas is as in .gas-snapshot, within 1 %\n')
  })

  it('says which transactions were waiting when a test failed', async () => {
    const project = await create({ 'chain.test.js': WAITING })
    const failed = await vitest(project).catch((error: Error) => error)
    expect(failed).toMatchObject({ message: expect.stringContaining('Error: of the test') })
    expect(failed).toMatchObject({
      message: expect.stringContaining(
        '1 transaction was waiting for a tick when the test ended; the manual clock was advanced by 0 ms',
      ),
    })
  })

  it('runs the starter, whose types it has', async () => {
    const paths = ['tsconfig.json', 'src/send.ts', 'test/send.test.ts'] as const
    const project = await create(
      Object.fromEntries(paths.map((path) => [path, read(`starter/${path}`)])),
      {},
      ['viem', 'typescript'],
    )
    const { stdout } = await vitest(project)
    expect(stdout).toMatch(/Tests {2}2 passed/)
    await project.run(toolCommand('tsc'), [])
  })

  it('measures what Solidity its tests execute', async () => {
    const istanbul = await install(join(import.meta.dirname, 'coverage'))
    const project = await create(
      {
        ...compileExample(),
        'vitest.config.mjs': coverageExampleOf('vitest.config.mjs'),
        'vault.test.mjs': coverageExampleOf('vault.test.mjs'),
      },
      {
        'istanbul-lib-coverage': istanbul,
        'istanbul-lib-report': istanbul,
        'istanbul-reports': istanbul,
      },
    )
    const { stdout } = await vitest(project)
    expect(stdout).toMatch(/Tests {2}2 passed/)
    expect(stdout).toMatch(/ Vault\.sol +\| +50 \| +25 \| +57\.14 \| +45\.45 \| /)
  })
})
