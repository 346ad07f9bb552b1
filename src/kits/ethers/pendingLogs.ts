/** Log events of pre-confirmed transactions. */
import { type EventFilter, type SocketProvider, SocketSubscriber } from 'ethers'

/** The counterpart of ethers' `SocketEventSubscriber`, which is for sealed logs. */
export class PendingLogsSubscriber extends SocketSubscriber {
  constructor(provider: SocketProvider, filter: EventFilter) {
    super(provider, ['pendingLogs', filter])
  }

  override async _emit(
    provider: SocketProvider,
    log: Parameters<SocketProvider['_wrapLog']>[0],
  ): Promise<void> {
    const [, filter] = this.filter as [string, EventFilter]
    await provider.emit(filter, provider._wrapLog(log, provider._network))
  }
}
