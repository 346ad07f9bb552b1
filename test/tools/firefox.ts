/**
 * The Firefox that trials run in, without which they are skipped, driven by WebDriver BiDi: Playwright needs one that is
 * patched, or commands that an extended support release does not have.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { findExecutable } from './executables.ts'

const executablePath = findExecutable('PRESEAL_FIREFOX', ['firefox-esr', 'firefox'])

/** How to install Firefox, as printed. */
export const HOW_TO_INSTALL_FIREFOX = `To install it:
  Debian          apt-get install firefox-esr
  elsewhere       PRESEAL_FIREFOX=… npm run test:package, with the path of a Firefox that is installed`

/** Whether the tests that need Firefox are skipped: there is none, or `PRESEAL_FIREFOX` is empty. */
export const SKIPS_FIREFOX = !executablePath

/** A Firefox without windows, with a profile of its own. */
export interface Firefox {
  /** Such as '153.7.0'. */
  readonly version: string
  /** Opens a page, and waits until it has loaded. */
  open(url: string): Promise<FirefoxPage>
  /** What the consoles of all pages, frames and workers show since the last call, as `level: text`, and uncaught errors. */
  takeMessages(): readonly string[]
  close(): Promise<void>
}

/** A page of {@link Firefox}. */
export interface FirefoxPage {
  /**
   * The value of an expression, or what it resolves to, as JSON can represent it.
   *
   * @throws Error if it throws, with the text of that error.
   */
  evaluate<Result>(expression: string): Promise<Result>
  /** Waits until an expression is true. */
  until(condition: string): Promise<void>
  /** Loads it again, and waits until it has loaded. */
  reload(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts Firefox.
 *
 * @throws Error if there is none, or if it ends before it listens, with its output.
 */
export async function launchFirefox(): Promise<Firefox> {
  if (!executablePath) throw new Error(`There is no Firefox. ${HOW_TO_INSTALL_FIREFOX}`)
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const child = spawn(executablePath, args, {
    // Its caches would otherwise be in the home folder, which Firefox requires to be the user's own.
    env: { ...process.env, HOME: profile },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve())).then(async () => {
    process.off('exit', kill)
    await rm(profile, { recursive: true, force: true })
  })
  const session = await Session.connect(await listeningAt(child))
  const { capabilities } = await session.send<{ capabilities: { browserVersion: string } }>('session.new', {
    capabilities: {},
  })
  await session.send('session.subscribe', { events: ['log.entryAdded'] })
  return {
    version: capabilities.browserVersion,
    open: (url) => openPage(session, url),
    takeMessages: () => session.messages.splice(0),
    async close() {
      await session.send('browser.close', {})
      await ended
    },
  }
}

/** The address that Firefox listens at. */
function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr!.on('data', (data) => {
      output += data
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`Firefox ended at once: ${output}`)))
  })
}

interface Answer {
  readonly id?: number
  readonly type: 'success' | 'error' | 'event'
  readonly result?: unknown
  readonly message?: string
  readonly params?: { readonly level: string; readonly text: string }
}

/** A session of WebDriver BiDi, whose only events are those of consoles. */
class Session {
  readonly messages: string[] = []
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (text) => {
      const answer = JSON.parse(String(text)) as Answer
      if (answer.type === 'event') this.messages.push(`${answer.params!.level}: ${answer.params!.text}`)
      else this.#take(answer.id!, answer)
    })
    socket.on('close', () => {
      for (const id of this.#waiting.keys()) this.#take(id, { type: 'error', message: 'Firefox has ended' })
    })
  }

  static async connect(url: string): Promise<Session> {
    const socket = new WebSocket(`${url}/session`)
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve)
      socket.on('error', reject)
    })
    return new Session(socket)
  }

  /** @throws Error if Firefox refuses the command. */
  async send<Result>(method: string, params: object): Promise<Result> {
    const id = ++this.#lastId
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ id, method, params }))
    const { type, result, message } = await answered
    if (type === 'error') throw new Error(`${method}: ${message}`)
    return result as Result
  }

  #take(id: number, answer: Answer): void {
    this.#waiting.get(id)?.(answer)
    this.#waiting.delete(id)
  }
}

/** The result of a script, whose value is JSON. */
interface Evaluated {
  readonly result?: { readonly value?: string }
  readonly exceptionDetails?: { readonly text: string }
}

async function openPage(session: Session, url: string): Promise<FirefoxPage> {
  const { context } = await session.send<{ context: string }>('browsingContext.create', { type: 'tab' })
  await session.send('browsingContext.navigate', { context, url, wait: 'complete' })
  async function evaluate<Result>(expression: string): Promise<Result> {
    const { result, exceptionDetails } = await session.send<Evaluated>('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context },
      awaitPromise: true,
    })
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
    return result?.value === undefined ? (undefined as Result) : JSON.parse(result.value)
  }
  return {
    evaluate,
    until: (condition) =>
      evaluate(`new Promise((resolve) => {
        const look = () => ((${condition}) ? resolve() : setTimeout(look, 10))
        look()
      })`),
    reload: () => session.send('browsingContext.reload', { context, wait: 'complete' }),
    close: () => session.send('browsingContext.close', { context }),
  }
}
