/** Installs what `bench/package.json` names, if any of it is missing. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const PEERS = ['ganache', '@foundry-rs/anvil', '@nomicfoundation/edr']

/** Ends the process if npm cannot install them. */
export function installPeers(): void {
  if (PEERS.every((peer) => existsSync(`bench/node_modules/${peer}`))) return
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: 'bench',
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}
