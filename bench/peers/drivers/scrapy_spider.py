# scrapy runspider scrapy_spider.py -a seeds=FILE -s JOBDIR=DIR -o OUT.jsonl: follows every link, keeps the address and
# the title of each page. The settings are those of Scrapy's page on broad crawls, with one request at once on a host.
from scrapy import Spider
from scrapy.linkextractors import LinkExtractor


class Pages(Spider):
    name = "pages"
    links = LinkExtractor()
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "LOG_LEVEL": "INFO",
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, seeds, **more):
        super().__init__(**more)
        with open(seeds) as lines:
            self.start_urls = [line.strip() for line in lines]

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.links.extract_links(response):
            yield response.follow(link)
