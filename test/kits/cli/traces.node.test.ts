/** `--traces`: the call tree of each transaction, once it is pre-confirmed or dropped. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadArtifacts } from '../../../src/inspect/explain/loadArtifacts.ts'
import { createTrees, printTraces } from '../../../src/kits/cli/traces.ts'
import { Nest } from '../../contracts/artifacts.ts'
import { nestCall, startNests } from '../../core/trace/nest.ts'
import { send } from '../../rpc/scene.ts'

async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-artifacts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

describe('traces', () => {
  it('are printed for transactions that are pre-confirmed and dropped, in order', async () => {
    const { chain, nest } = await startNests()
    const folder = await createFolder({ 'Nest.sol/Nest.json': JSON.stringify(Nest) })
    const printed: string[] = []
    const lines = (count: number) => expect.poll(() => printed.length, { interval: 5 }).toBe(count)
    printTraces(chain, await createTrees(chain, folder, (text) => printed.push(text)))
    const call = { to: nest, gas: 100_000n, nonce: 2 }
    await send(chain, 0, { ...call, data: nestCall('leaf', [1n]) })
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n }
    await send(chain, 0, { ...call, ...fees, data: nestCall('refuse', [5n]) })
    await lines(1)
    await chain.tick()
    await lines(2)
    await chain.seal()
    await lines(2)
    const heads = printed.map((text) =>
      text
        .split('\n')
        .slice(0, 2)
        .join(' ')
        .replace(/0x[0-9a-f]{64}/, '0x…'),
    )
    expect(heads.map((head) => head.replace(/\d+ gas|\[\d+\]/g, ''))).toEqual([
      'dropped transaction 0x… (replaced), simulated on block 2: succeeded,     Nest::leaf(1)',
      'preconfirmed transaction 0x…, in block 2: failed,     Nest::refuse(5)',
    ])
  })
})

describe('a folder of artifacts', () => {
  it('is read with its folders; build info only if there is nothing else', async () => {
    const files = { 'a/A.json': '{"abi":[]}', 'cache/c.json': '{}', 'a/b.txt': '', 'broken.json': '{' }
    const info = { 'build-info/1.json': '{"output":{"contracts":{}}}' }
    expect(await loadArtifacts(await createFolder({ ...files, ...info }))).toEqual({
      'a/A.json': { abi: [] },
      'broken.json': '{',
    })
    expect(await loadArtifacts(await createFolder(info))).toEqual({
      'build-info/1.json': { output: { contracts: {} } },
    })
  })

  it('that cannot be read, or has nothing, is refused', async () => {
    const empty = await createFolder({ 'a.txt': '' })
    await expect(loadArtifacts(empty)).rejects.toThrow(
      `cannot read artifacts from ${empty}: it has no JSON files`,
    )
    await expect(loadArtifacts(join(empty, 'none'))).rejects.toMatchObject({
      name: 'ArtifactsFolderError',
      message: `cannot read artifacts from ${join(empty, 'none')}: ENOENT`,
    })
  })
})
