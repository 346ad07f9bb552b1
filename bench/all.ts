/** All benchmarks: `npm run bench`, from the repository root. Options are those of `bench/index.ts`. */
import { installPeers } from './peers.ts'

installPeers()
for (const [title, script] of [
  ['preseal and its peers', './index.ts'],
  ['A tick', './tick.ts'],
  ['A long run', './soak.ts'],
  ['Thousands of blocks in one call', './blocks.ts'],
] as const) {
  console.log(`\n${title}\n`)
  await import(script)
}
