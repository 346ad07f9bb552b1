/**
 * The memory of a served chain: `npx tsx bench/memory.ts`, from the repository root after a build.
 *
 * 100,000 requests over HTTP in the proportions of a suite of Hardhat. Exits with 1 if it uses more than 10 % more memory at the
 * end than after the first tenth. `--requests N` sets their number.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type { MemoryInput, MemoryReport } from './children/memory.ts'
import { buildChildren, startChild, writeInput } from './children.ts'
import { createPoster } from './http.ts'
import { MIX_SETUP, type MixResults, mixOf, sendMix } from './requestMix.ts'
import { alignColumns, formatValue } from './table.ts'

/** How much more may be used than after the first window. */
const GROWTH_LIMIT = 0.1
const WINDOWS = 10

const { values } = parseArgs({ options: { requests: { type: 'string', default: '100000' } } })
const perWindow = Math.ceil(Number(values.requests) / WINDOWS)
const input: MemoryInput = { accounts: { count: 20 } }

buildChildren()
const child = startChild('memory', [writeInput('memory', input)])
const next = async (): Promise<MemoryReport> => (await once(child, 'message'))[0] as MemoryReport
const listening = await next()
if (listening.kind !== 'listening') throw new Error('the chain is not served')
const poster = createPoster(listening.url)
const mix = mixOf((await poster.request('eth_accounts', [])) as string[])
const results: MixResults = { snapshot: undefined, hash: undefined, test: 0 }
await sendMix(poster.request, MIX_SETUP, MIX_SETUP.length, results)

const used: number[] = []
for (let window = 1; window <= WINDOWS; window++) {
  await sendMix(poster.request, mix, perWindow, results)
  const asked = next()
  child.send('collect')
  const report = await asked
  if (report.kind === 'used') used.push(report.usedMiB)
}
poster.close()
child.disconnect()

const first = used[0]!
console.log('memory in use after a collection\n')
console.log(
  alignColumns([
    ['requests', 'MiB', 'of the first'],
    ...used.map((mib, window) => [
      `${((window + 1) * perWindow).toLocaleString('en')}`,
      formatValue(mib),
      `${Math.round((100 * mib) / first)} %`,
    ]),
  ]),
)
if (used.at(-1)! > first * (1 + GROWTH_LIMIT)) process.exitCode = 1
