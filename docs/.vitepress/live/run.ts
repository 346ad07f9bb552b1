/** Runs code in a worker of its own. */
import { withBase } from 'vitepress'
import type { RunEvent, RunListener, RunRequest } from './protocol.ts'

/** How long code may run, in milliseconds. Loading what it imports does not count. */
export const TIME_LIMIT = 20_000

/** Starts a run. @returns stops it, without a call of `onEnd`. */
export function run(source: string, { onOutput, onEnd }: RunListener): () => void {
  // Built with the playground, see playground.config.ts.
  const worker = new Worker(withBase('/playground-app/runWorker.js'), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    clearTimeout(timer)
    worker.terminate()
  }
  const fail = (text: string): void => {
    onOutput('error', text)
    stop()
    onEnd()
  }
  worker.addEventListener('error', () => fail('The worker that runs the code could not be loaded.'))
  worker.addEventListener('message', ({ data }: MessageEvent<RunEvent>) => {
    if (data.type === 'output') return onOutput(data.kind, data.text)
    if (data.type === 'started') {
      timer = setTimeout(() => fail(`Ended after ${TIME_LIMIT / 1000} s, the limit.`), TIME_LIMIT)
      return
    }
    stop()
    onEnd()
  })
  const request: RunRequest = { source }
  worker.postMessage(request)
  return stop
}
