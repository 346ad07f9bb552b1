/** The suite on a machine without Chromium, with one file of each project that needs it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const FILES = ['test/base/yielder.test.ts', 'test/docs/playground.node.test.ts']
const PROJECTS = ['--project=chromium', '--project=playground']

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs vitest with a PATH that has no Chromium. */
async function runTests(env: Readonly<Record<string, string>>): Promise<Outcome> {
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'full', ...PROJECTS, ...FILES]
  const options = { env: { PATH: '', NO_COLOR: '1', ...env } }
  return promisify(execFile)(process.execPath, command, options).then(
    (output) => ({ code: 0, ...output }),
    (failure: Outcome) => failure,
  )
}

describe('without Chromium', () => {
  it('skips and counts the tests that need it, and says how to install it', async () => {
    const { code, stdout } = await runTests({})
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ *Test Files {2}2 skipped \(2\)$/m)
    const [, skipped] = stdout.match(/^ *Tests {2}(\d+) skipped \(\1\)$/m)!
    const notice = stdout.slice(stdout.indexOf(`\n${skipped} tests skipped`))
    expect(notice).toMatch(
      /^\n\d+ tests skipped, as there is no Chromium\. .*\n.* apt-get install chromium\n.* PRESEAL_CHROMIUM=/,
    )
  })

  it('fails in CI, and says how to install it', async () => {
    const { code, stderr } = await runTests({ CI: 'true' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/There is no Chromium on the PATH \(chromium, .*\n.* apt-get install chromium\n/)
  })

  it('fails if PRESEAL_CHROMIUM is not the path of an executable', async () => {
    const { code, stderr } = await runTests({ PRESEAL_CHROMIUM: '/nowhere/chromium' })
    expect(code).toBe(1)
    expect(stderr).toContain(
      'PRESEAL_CHROMIUM must be the path of an executable, and /nowhere/chromium is none',
    )
  })
})
