/**
 * Runs the code of a page: compiles it, loads what it imports, and sends what it prints. The worker is used once, so that a
 * run leaves nothing to the next.
 */
import { transform } from 'sucrase'
import { toErrorText, toLine } from './inspect.ts'
import { loadModule } from './modules.ts'
import { createPrint } from './output.ts'
import type { RunEvent, RunRequest } from './protocol.ts'

type Run = (require: (name: string) => object | undefined, exports: object) => Promise<void>

const AsyncFunction = (async () => {}).constructor as new (...parts: readonly string[]) => Run

const send = (event: RunEvent): void => self.postMessage(event)
const print = createPrint(send)

const KINDS = { log: 'text', info: 'text', debug: 'text', warn: 'warning', error: 'error' } as const
for (const [method, kind] of Object.entries(KINDS)) {
  console[method as keyof typeof KINDS] = (...values) => print(kind, () => toLine(values))
}
self.addEventListener('error', (event) => {
  event.preventDefault()
  print('error', () => toErrorText(event.error))
})
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault()
  print('error', () => toErrorText(event.reason))
})
self.addEventListener('message', ({ data }: MessageEvent<RunRequest>) => void run(data), { once: true })

async function run({ source }: RunRequest): Promise<void> {
  try {
    const { code } = transform(source, {
      transforms: ['typescript', 'imports'],
      disableESTransforms: true,
      preserveDynamicImport: false,
      production: true,
    })
    const names = new Set([...code.matchAll(/\brequire\('([^'\n]+)'\)/g)].map(([, name]) => name!))
    const loaded = await Promise.all([...names].map(async (name) => [name, await loadModule(name)] as const))
    const modules = new Map(loaded)
    send({ type: 'started' })
    await new AsyncFunction('require', 'exports', code)((name) => modules.get(name), {})
  } catch (error) {
    print('error', () => toErrorText(error))
  }
  send({ type: 'ended' })
}
