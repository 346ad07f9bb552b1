import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPublicClient, http } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type InstanceParameters, type PoolInstance, preseal } from '../../../src/kits/prool/index.ts'
import { PortInUseError } from '../../../src/kits/server/index.ts'

const idOf = (url: string) => createPublicClient({ transport: http(url, { retryCount: 0 }) }).getChainId()

function create(parameters: InstanceParameters = {}): PoolInstance {
  const instance = preseal({ mining: 'manual', ...parameters }).create({ port: 0 })
  onTestFinished(() => instance.stop())
  return instance
}

describe('preseal/prool', () => {
  it('defines an instance with a name, a host and a port', () => {
    const { name, host, port, url, status, endpoints, chain } = preseal()
    expect({ name, host, port, url, status, endpoints, chain }).toEqual({
      name: 'preseal',
      host: '127.0.0.1',
      port: 8545,
      url: 'http://127.0.0.1:8545',
      status: 'idle',
      endpoints: { default: { host: '127.0.0.1', port: 8545, protocol: 'http' } },
      chain: undefined,
    })
    expect(preseal({ port: 9000 }).create().port).toBe(9000)
    expect(preseal({ port: 9000 }).create({ port: 9001 }).url).toBe('http://127.0.0.1:9001')
  })

  it('serves a chain of its own from start to stop', async () => {
    const [one, other] = [create({ chainId: 5 }), create({ chainId: 6 })]
    await Promise.all([one.start(), other.start()])
    expect([one.status, other.status]).toEqual(['started', 'started'])
    expect([await idOf(one.url), await idOf(other.url)]).toEqual([5, 6])
    await one.chain!.mine(3)
    const blockNumber = (url: string) => createPublicClient({ transport: http(url) }).getBlockNumber()
    expect([await blockNumber(one.url), await blockNumber(other.url)]).toEqual([3n, 0n])
    const { url } = one
    await one.stop()
    expect([one.status, one.chain]).toEqual(['stopped', undefined])
    await expect(idOf(url)).rejects.toThrow()
    expect(await idOf(other.url)).toBe(6)
  })

  it('is as the last of start and stop says, whichever of them still goes on', async () => {
    const instance = create()
    await instance.start()
    const { chain } = instance
    const stopped = instance.stop()
    await instance.start()
    await stopped
    expect(instance.status).toBe('started')
    expect(await idOf(instance.url)).toBe(31_337)
    expect(instance.chain).not.toBe(chain)
    const all = [instance.stop(), instance.start(), instance.stop()]
    await Promise.all(all)
    expect([instance.status, instance.chain]).toEqual(['stopped', undefined])
  })

  it('starts with another chain again, and restarts', async () => {
    const instance = create()
    const stop = await instance.start()
    await instance.chain!.mine(3)
    stop()
    await instance.stop()
    await instance.start()
    const { chain } = instance
    expect((await chain!.standard.request({ method: 'eth_blockNumber' })) as string).toBe('0x0')
    const restarted = instance.restart()
    expect(instance.status).toBe('restarting')
    await restarted
    expect(instance.status).toBe('started')
    expect(instance.chain).not.toBe(chain)
    expect(await idOf(instance.url)).toBe(31337)
  })

  it('serves the view that is chosen as default, and the other one by its name', async () => {
    for (const view of ['standard', 'preconf'] as const) {
      const instance = create({ view })
      await instance.start()
      const { endpoints, chain, port } = instance
      expect(endpoints.default.port).toBe(port)
      const account = chain!.accounts[0]!.address
      const params = [{ from: account, to: account, value: '0x1' }] as const
      const hash = await chain!.preconf.request({ method: 'eth_sendTransaction', params })
      await chain!.tick()
      const receipt = async (name: string) => {
        const response = await fetch(`http://127.0.0.1:${endpoints[name]!.port}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'eth_getTransactionReceipt',
            params: [hash],
          }),
        })
        const { result } = (await response.json()) as { result: unknown }
        return result === null ? 'not sealed' : 'pre-confirmed'
      }
      const other = view === 'standard' ? 'preconf' : 'standard'
      expect({ [view]: await receipt('default'), [other]: await receipt(other) }).toEqual({
        standard: 'not sealed',
        preconf: 'pre-confirmed',
      })
    }
  })

  it('fails to start on a port that is in use, leaves nothing running, and can be started later', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    const { port } = blocker.address() as AddressInfo
    const instance = preseal({ mining: 'manual' }).create({ port })
    onTestFinished(() => instance.stop())
    await expect(instance.start()).rejects.toThrow(PortInUseError)
    expect([instance.status, instance.chain]).toEqual(['idle', undefined])
    await new Promise((resolve) => blocker.close(resolve))
    await instance.start()
    expect(await idOf(`http://127.0.0.1:${port}`)).toBe(31337)
  })

  it('fails to start with options that are not valid', async () => {
    const instance = create({ chainId: -1 })
    await expect(instance.start()).rejects.toThrow('invalid option chainId')
    expect(instance.status).toBe('idle')
    await instance.stop()
  })

  it('starts and stops once, however often it is asked to', async () => {
    const instance = create()
    const first = instance.start()
    expect(instance.start()).toBe(first)
    expect(instance.status).toBe('starting')
    // A stop waits for a start that is under way.
    await Promise.all([instance.stop(), instance.stop(), first])
    expect(instance.status).toBe('stopped')
    await instance.stop()
    expect(instance.chain).toBeUndefined()
  })

  it('tells listeners of start, stop and messages', async () => {
    const instance = preseal({ mining: 'manual' }, { messageBuffer: 1 }).create({ port: 0 })
    onTestFinished(() => instance.stop())
    const heard: string[] = []
    const hear = (name: string) => () => heard.push(name)
    const removed = hear('removed')
    instance.on('listening', hear('listening')).once('exit', hear('exit'))
    instance.addListener('message', (text: string) => heard.push(text))
    instance.on('exit', removed)
    instance.off('exit', removed)
    await instance.start()
    const message = `Listening on ${instance.url}`
    expect(instance.messages.get()).toEqual([message])
    instance.messages.clear()
    expect(instance.messages.get()).toEqual([])
    await instance.stop()
    expect(heard).toEqual([message, 'listening', 'exit'])
    instance.removeAllListeners()
    await instance.start()
    await instance.stop()
    expect(heard).toHaveLength(3)
  })
})
