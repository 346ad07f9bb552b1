/** All benchmarks: `npm run bench`, from the repository root. Options are those of `bench/index.ts`. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

if (!['ganache', '@foundry-rs/anvil'].every((peer) => existsSync(`bench/node_modules/${peer}`))) {
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: 'bench',
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}
for (const [title, script] of [
  ['preseal and its peers', './index.ts'],
  ['A tick', './tick.ts'],
  ['A long run', './soak.ts'],
  ['Thousands of blocks in one call', './blocks.ts'],
] as const) {
  console.log(`\n${title}\n`)
  await import(script)
}
