/** The versions of viem and ethers that the peer ranges of the package allow. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { run } from './run.ts'

const require = createRequire(import.meta.url)
const { peerDependencies } = require('../../package.json') as {
  readonly peerDependencies: Readonly<Record<PeerName, string>>
}

/** The peers that are tested in several versions. */
export const PEERS = ['ethers', 'viem'] as const

type PeerName = (typeof PEERS)[number]

/** The version of each peer. */
export type PeerVersions = Readonly<Record<PeerName, string>>

/** The lowest versions of the ranges. */
export const OLDEST: PeerVersions = toVersions((name) => /\d+\.\d+\.\d+/.exec(peerDependencies[name])![0])

/**
 * The newest published versions, so that the next run shows a release that breaks the package; those of the tools if
 * the registry cannot be reached.
 */
export async function findNewest(): Promise<PeerVersions> {
  const found = await Promise.all(PEERS.map(newestOf))
  return toVersions((name) => found[PEERS.indexOf(name)]!)
}

/** The newest published version of a range. @throws if the registry cannot be reached. */
export async function newestIn(name: string, range: string): Promise<string> {
  const { stdout } = await run('npm', ['view', `${name}@${range}`, 'version', '--json'])
  // A list, in the order of publication, or the only one.
  const versions = [JSON.parse(stdout)].flat() as string[]
  return versions.sort((a, b) => a.localeCompare(b, undefined, { numeric: true })).at(-1)!
}

async function newestOf(name: PeerName): Promise<string> {
  try {
    return await newestIn(name, peerDependencies[name])
  } catch {
    const lock = await readFile(join(import.meta.dirname, 'tools/package-lock.json'), 'utf8')
    const { packages } = JSON.parse(lock) as { packages: Record<string, { version: string }> }
    return packages[`node_modules/${name}`]!.version
  }
}

function toVersions(versionOf: (name: PeerName) => string): PeerVersions {
  return { ethers: versionOf('ethers'), viem: versionOf('viem') }
}
