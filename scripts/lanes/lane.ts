/** Commands that run one after the other, and the sum of their tests. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The parts of vitest's JSON report that are counted. */
interface TestFile {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly {
    readonly fullName: string
    readonly status: string
    readonly failureMessages: readonly string[]
  }[]
}

/** What a command that runs tests has counted. */
interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The last lines of a failed command that are repeated at the end. */
const TAIL_LINES = 40

/**
 * Runs commands, and remembers what {@link Lane.end} prints.
 *
 * Owns the counts and the notes; not the reports, which each command writes into a folder that is removed after it.
 */
export class Lane {
  readonly #sum: Counts = { passed: 0, failed: 0, skipped: 0 }
  /** What failed or was skipped: at the end of a long log it is found. */
  readonly #notes: string[] = []
  readonly #durations: string[] = []

  /** Adds a line to those that {@link Lane.end} prints. */
  note(...lines: readonly string[]): void {
    this.#notes.push(...lines)
  }

  /** Runs a command that has to succeed. */
  async step(...command: readonly string[]): Promise<void> {
    const { code, tail } = await this.#run(command)
    if (code === 0) return
    this.#sum.failed += 1
    this.note(`${command.join(' ')} failed, and its last lines are:`, tail)
  }

  /** Runs a command that runs tests by vitest, and adds what it counted. */
  async tests(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Counts> {
    const folder = mkdtempSync(join(tmpdir(), 'preseal-report-'))
    const report = join(folder, 'tests.json')
    const { code, tail } = await this.#run(command, { ...env, PRESEAL_TEST_REPORT: report })
    const files = existsSync(report)
      ? (JSON.parse(readFileSync(report, 'utf8')).testResults as TestFile[])
      : []
    rmSync(folder, { recursive: true })
    const counts = this.#count(files)
    // An error outside of the tests fails the command and is in no report.
    if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) {
      counts.failed = 1
      this.note(`${command.join(' ')} failed outside of its tests, and its last lines are:`, tail)
    }
    for (const key of ['passed', 'failed', 'skipped'] as const) this.#sum[key] += counts[key]
    return counts
  }

  /** Prints the notes, the durations and, in the last line, the sum. Sets the exit code. */
  end(): void {
    const { passed, failed, skipped } = this.#sum
    const sum = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
    console.log(['', ...this.#notes, ...this.#durations, sum].join('\n'))
    process.exitCode = failed > 0 ? 1 : 0
  }

  #count(files: readonly TestFile[]): Counts {
    const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
    for (const { name, status, message, assertionResults } of files) {
      for (const test of assertionResults) {
        const outcome = test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped'
        counts[outcome] += 1
        if (outcome !== 'passed')
          this.note(`${name}: ${test.fullName} is ${test.status}`, ...test.failureMessages)
      }
      // A file that cannot be loaded reports no test.
      if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
        counts.failed += 1
        this.note(name, message)
      }
    }
    return counts
  }

  /** Runs a command, prints its output while it runs, and notes how long it took. */
  async #run([command, ...args]: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const started = performance.now()
    const child = spawn(command!, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const [stream, target] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      stream.on('data', (chunk: Buffer) => {
        target.write(chunk)
        output = `${output}${chunk}`.slice(-100_000)
      })
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const seconds = Math.round((performance.now() - started) / 1000)
    const duration = `${[command, ...args].join(' ')} took ${seconds} s`
    this.#durations.push(duration)
    console.log(duration)
    return { code, tail: output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n') }
  }
}
