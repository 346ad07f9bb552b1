/** The package in the environments of test runners. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProject, toJavaScript, toolCommand } from './project.ts'
import { CLIENT_TOOLS, commonJs, esModules, PRINTED, STORY } from './stories.ts'

/** A test that runs both stories, with the API that all runners share. */
const asTest = (head: string, all = true) => `
${head}
const text = (value) => JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)))
test('a chain of its own', async () => {
  const result = ${all ? '{ story: await story(), clients: await clients() }' : 'await story()'}
  same(text(result), ${JSON.stringify(all ? PRINTED : STORY)})
}, 60_000)
`
const expectSame = 'const same = (actual, wanted) => expect(actual).toEqual(wanted)'
const required = `const { story } = require('./story.cjs')\n${expectSame}`
const allRequired = `const { clients } = require('./clients.cjs')\n${required}`

describe('the package in test runners', () => {
  describe('vitest', () => {
    it.each(['node', 'jsdom', 'happy-dom'])('runs it in the environment %s', async (environment) => {
      const head = `
import { expect, test } from 'vitest'
import { clients } from './clients.js'
import { story } from './story.js'
${expectSame}`
      const project = await createProject({
        tools: [...CLIENT_TOOLS, 'vitest'],
        files: { ...esModules, 'chain.test.js': asTest(head) },
      })
      const { stdout } = await project.run(toolCommand('vitest'), ['run', '--environment', environment])
      expect(stdout).toMatch(/Tests {2}1 passed/)
    })
  })

  it('runs the starter as it is published', async () => {
    const paths = ['package.json', 'tsconfig.json', 'src/send.ts', 'test/send.test.ts']
    const read = (path: string) =>
      readFileSync(new URL(`../../examples/starter/${path}`, import.meta.url), 'utf8')
    const [manifest, ...others] = paths.map((path) => [path, read(path)] as const)
    const { devDependencies } = JSON.parse(manifest![1]) as { devDependencies: object }
    const project = await createProject({
      tools: Object.keys(devDependencies).filter((name) => name !== 'preseal'),
      files: Object.fromEntries(others),
    })
    const { stdout } = await project.run(toolCommand('vitest'), ['run'])
    expect(stdout).toMatch(/Tests {2}2 passed/)
    await project.run(toolCommand('tsc'), [])
  })

  describe('jest', () => {
    it('runs it in the environment node', async () => {
      const project = await createProject({
        type: 'commonjs',
        tools: [...CLIENT_TOOLS, 'jest'],
        files: { ...commonJs, 'chain.test.js': asTest(allRequired) },
      })
      const { stderr } = await project.run(toolCommand('jest'), [])
      expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
    })

    it('runs it in the environment jsdom, which lacks a TextEncoder', async () => {
      const project = await createProject({
        type: 'commonjs',
        tools: ['jest', 'jest-environment-jsdom'],
        files: { ...commonJs, 'chain.test.js': asTest(required, false) },
      })
      const { stderr } = await project.run(toolCommand('jest'), ['--env', 'jsdom'])
      expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
    })

    // viem and ethers need a TextEncoder when they are loaded, so their users provide Node's.
    it('runs it with viem and ethers in the environment jsdom', async () => {
      const project = await createProject({
        type: 'commonjs',
        tools: [...CLIENT_TOOLS, 'jest', 'jest-environment-jsdom'],
        files: {
          ...commonJs,
          'polyfill.js':
            "const { TextDecoder, TextEncoder } = require('node:util')\nObject.assign(globalThis, { TextDecoder, TextEncoder })",
          'chain.test.js': asTest(allRequired),
        },
      })
      const args = ['--env', 'jsdom', '--setupFiles', './polyfill.js']
      const { stderr } = await project.run(toolCommand('jest'), args)
      expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
    })
  })

  it('runs in mocha, which ends by itself', async () => {
    const head = `
const same = require('node:assert').deepStrictEqual
const test = (name, body, timeout) => it(name, body).timeout(timeout)
const { clients } = require('./clients.cjs')
const { story } = require('./story.cjs')`
    const project = await createProject({
      type: 'commonjs',
      tools: [...CLIENT_TOOLS, 'mocha'],
      files: { ...commonJs, 'test/chain.js': asTest(head).replaceAll("'./", "'../") },
    })
    const { stdout } = await project.run(toolCommand('mocha'), [])
    expect(stdout).toMatch(/1 passing/)
  })

  describe('the examples of a chain for each test', () => {
    const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
    const exampleOf = (runner: string) => read(`examples/testRunners/${runner}`)

    it('run in vitest, by preseal/vitest', async () => {
      const contracts = 'contracts/token.ts'
      const project = await createProject({
        tools: ['viem', 'vitest'],
        files: {
          'chain.test.ts': exampleOf('vitest.test.ts').replace(`../${contracts}`, './contracts.js'),
          'contracts.js': toJavaScript(read(`examples/${contracts}`), 'esm'),
        },
      })
      const { stdout } = await project.run(toolCommand('vitest'), ['run'])
      expect(stdout).toMatch(/Tests {2}3 passed/)
    })

    it('run in vitest with a report of gas, which is compared with the snapshot of the run before', async () => {
      const contracts = 'contracts/token.ts'
      const own = (text: string) => text.replace(`../${contracts}`, './contracts.js')
      const project = await createProject({
        tools: ['viem', 'vitest'],
        files: {
          'chain.test.ts': own(exampleOf('vitest.test.ts')),
          'gas.config.ts': own(exampleOf('gas.config.ts')),
          'contracts.js': toJavaScript(read(`examples/${contracts}`), 'esm'),
        },
      })
      const run = (CI: string) =>
        project.run(toolCommand('vitest'), ['run', '--config', 'gas.config.ts'], { env: { CI } })
      const { stdout: first } = await run('')
      expect(first).toMatch(/Token\n {2}constructor +\d.*\n {2}transfer +2 /)
      expect(first).toContain('.gas-snapshot was written\n')
      const { stdout: second } = await run('true')
      expect(second).toContain('gas is as in .gas-snapshot, within 1 %\n')
    })

    it('run in vitest on a fork, from its committed cache', async () => {
      const contracts = 'contracts/token.ts'
      const project = await createProject({
        tools: ['viem', 'vitest'],
        files: {
          'fork.test.ts': exampleOf('fork.test.ts').replace(`../${contracts}`, './contracts.js'),
          'fork.jsonl': exampleOf('fork.jsonl'),
          'contracts.js': toJavaScript(read(`examples/${contracts}`), 'esm'),
        },
      })
      const { stdout } = await project.run(toolCommand('vitest'), ['run'])
      expect(stdout).toMatch(/Tests {2}2 passed/)
    })

    it('run in jest', async () => {
      const project = await createProject({
        tools: ['viem', 'jest'],
        files: { 'chain.test.cjs': exampleOf('jest.test.cjs') },
      })
      const { stderr } = await project.run(toolCommand('jest'), [])
      expect(stderr).toMatch(/Tests: +2 passed, 2 total/)
    })

    it('run in mocha', async () => {
      const project = await createProject({
        tools: ['viem', 'mocha'],
        files: { 'test/chain.cjs': exampleOf('mocha.test.cjs') },
      })
      const { stdout } = await project.run(toolCommand('mocha'), [])
      expect(stdout).toMatch(/2 passing/)
    })
  })
})
