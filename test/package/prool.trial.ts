/** preseal/prool with prool's servers and pools, on the oldest Node that prool supports. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { install } from './install.ts'
import { createProject, nodeCommand } from './project.ts'

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../examples/prool/pool.mjs'), 'utf8')

const MAIN = `
import { createServer } from 'node:http'
import { once } from 'node:events'
import { preseal } from 'preseal/prool'
import { Instance, Pool, Server } from 'prool'

const found = {}
const call = async (url, method, ...params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const send = () => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  // fetch may use a connection to the chain before, which has just been closed.
  const response = await send().catch(send)
  return (await response.json()).result
}

const pool = Pool.define({ instance: preseal({ mining: 'manual' }), limit: 2 })
const [one, other] = await Promise.all([pool.start(1), pool.start(2)])
await one.chain.mine(3)
found.blocks = [await call(one.url, 'eth_blockNumber'), await call(other.url, 'eth_blockNumber')]
found.limit = await pool.start(3).catch(({ message }) => message)
await pool.restart(1)
found.restarted = [await call(pool.get(1).url, 'eth_blockNumber'), pool.get(1).status]
await pool.stop(2)
found.stopped = [other.status, await call(other.url, 'eth_blockNumber').catch(() => 'refused')]
await pool.destroyAll()
found.size = pool.size

const keyed = Pool.define({ instance: (key) => preseal({ mining: 'manual', chainId: key }) })
found.chainIds = []
for (const key of [5, 6]) found.chainIds.push(await call((await keyed.start(key)).url, 'eth_chainId'))
await keyed.destroyAll()

const blocker = createServer().listen(0, '127.0.0.1')
await once(blocker, 'listening')
const { port } = blocker.address()
found.inUse = await pool.start(4, { port }).catch(({ name, message }) => name + ': ' + message.replace(port, 'PORT'))
blocker.close()

const server = Server.create({ instance: preseal({ mining: 'manual' }) })
await server.start()
const at = (path) => 'localhost:' + server.address().port + path
const socket = new WebSocket('ws://' + at('/7'))
await once(socket, 'open')
socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
const subscribed = (await once(socket, 'message'))[0]
await call('http://' + at('/7'), 'anvil_mine', '0x1')
const head = JSON.parse((await once(socket, 'message'))[0].data)
found.socket = [JSON.parse(subscribed.data).id, head.params.result.number]
socket.close()
found.messages = (await (await fetch('http://' + at('/7/messages'))).json()).length
await server.stop()

const leases = Pool.create({
  instance: preseal({ mining: 'manual' }),
  limit: 1,
  reset: ({ url }) => call(url, 'anvil_reset'),
})
const lease = await leases.acquire()
await lease.instance.chain.mine(2)
await lease.release()
const next = await leases.acquire()
found.leased = await call(next.instance.url, 'eth_blockNumber')
await leases.close()
found.named = Object.keys(Instance).includes('anvil')
console.log(JSON.stringify(found))
`

const TYPES = `
import { preseal } from 'preseal/prool'
import { type Instance, Pool, Server } from 'prool'
const instance: Instance.Instance = preseal({ chainId: 5, view: 'preconf' }, { messageBuffer: 3 })
Server.create({ instance, limit: 3 })
const pool = Pool.define({ instance: preseal() })
pool.start(1).then(async ({ chain }) => (await chain?.mine(2)) satisfies unknown)
`

async function createProolProject(files: Readonly<Record<string, string>>) {
  const PATH = `${join(nodeCommand('22'), '..')}:${process.env['PATH']}`
  const installed = await install(join(import.meta.dirname, 'prool'), { PATH })
  return createProject({ others: { prool: installed }, tools: ['typescript', '@types/node'], files })
}

describe('preseal/prool', () => {
  it.each(['22', '24'] as const)('gives each id of a pool a chain of its own, on Node %s', async (major) => {
    const project = await createProolProject({ 'main.js': MAIN })
    // What prool proxies with prints a warning of deprecation.
    const { stdout } = await project.run(nodeCommand(major), ['main.js'])
    expect(JSON.parse(stdout)).toEqual({
      blocks: ['0x3', '0x0'],
      limit: 'Instance limit of 2 reached.',
      restarted: ['0x0', 'started'],
      stopped: ['stopped', 'refused'],
      size: 0,
      chainIds: ['0x5', '0x6'],
      inUse: expect.stringMatching(/^PortInUseError: .*PORT/),
      socket: [1, '0x1'],
      messages: 1,
      leased: '0x0',
      named: true,
    })
  })

  it('has the example that the documentation shows', async () => {
    const project = await createProolProject({ 'pool.mjs': EXAMPLE })
    const { stdout } = await project.run(nodeCommand('22'), ['pool.mjs'])
    expect(stdout.trim().split('\n')).toEqual([
      'worker 1 is at block 3',
      'worker 2 is at block 0',
      'worker 1 begins again at block 0',
    ])
  })

  it('is an instance by the types of prool', async () => {
    const project = await createProolProject({ 'main.ts': TYPES })
    const options = '--noEmit --strict --skipLibCheck --target es2024 --module nodenext --types node main.ts'
    const { stdout } = await project.run(nodeCommand('22'), [
      join(project.folder, 'node_modules/typescript/bin/tsc'),
      ...options.split(' '),
    ])
    expect(stdout).toBe('')
  })
})
