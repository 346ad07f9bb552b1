/**
 * Prints the innermost lines that Hardhat's own network shows for a compiled corpus, as JSON by case: null without one.
 *
 * Run in a folder with Hardhat, whose artifacts are replaced by those of the corpus. Argument: a file of
 * build info with the requests of each case.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'

const { solcVersion: version, cases, input, output } = JSON.parse(await readFile(process.argv[2], 'utf8'))

const folder = 'artifacts/build-info'
const id = `solc-${version.replaceAll('.', '_')}-corpus`
const format = 'hh3-sol-build-info'
const names = { solcVersion: version, solcLongVersion: `${version}+commit.00000000`, userSourceNameMap: {} }
const write = (name, content) => writeFile(`${folder}/${name}`, JSON.stringify({ id, ...content }))
await rm('artifacts', { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await write(`${id}.json`, { _format: `${format}-1`, ...names, input })
await write(`${id}.output.json`, { _format: `${format}-output-1`, output })

const config = { networks: { corpus: { type: 'edr-simulated' } } }
const environment = await createHardhatRuntimeEnvironment(config, {}, process.cwd())
const { provider } = await environment.network.create('corpus')

/** Sends the requests of a case, of which the last one fails. */
async function lineOf({ deployments, call }) {
  const addresses = []
  const place = (text) => text.replace(/\$(\d)/g, (_, i) => addresses[i].slice(2))
  for (const deployment of deployments) {
    const [from] = await provider.request({ method: 'eth_accounts' })
    const params = [{ from, gas: '0x500000', data: place(deployment) }]
    const hash = await provider.request({ method: 'eth_sendTransaction', params })
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    addresses.push(receipt.contractAddress)
  }
  try {
    await provider.request({
      method: 'eth_call',
      params: [JSON.parse(place(JSON.stringify(call))), 'latest'],
    })
  } catch (error) {
    const [, line] = /\(contracts\/\w+\.sol:(\d+)/.exec(error.stack) ?? []
    return line === undefined ? null : Number(line)
  }
  throw new Error('a case does not fail')
}

const lines = {}
for (const [name, one] of Object.entries(cases)) lines[name] = await lineOf(one)
process.stdout.write(JSON.stringify(lines), () => process.exit(0))
