#include <dozer/dozer.hpp>
#include <cstdio>
#include <chrono>
long fib(int n){ if(n<2) return n; auto [a,b]=dozer::join([&]{return fib(n-1);},[&]{return fib(n-2);}); return a+b; }
int main(){
  auto t0=std::chrono::steady_clock::now();
  printf("%ld\n", fib(30));
  printf("%f\n", std::chrono::duration<double>(std::chrono::steady_clock::now()-t0).count());
  dozer::thread_pool p(4);
  auto f = p.submit([]{return 3;}).then([](int x){return x*2.5;});
  printf("%f\n", f.get());
  auto v=p.broadcast([](dozer::broadcast_context c){return c.index()==1;});
  for(bool x: v) printf("%d ",(int)x);
  int x=0; int& r = dozer::scope([&](dozer::spawner& s)->int&{ s.spawn([&]{x=1;}); return x;});
  printf("%d\n", r);
  auto [a,b,c]=dozer::join([]{return 1;},[]{},[]{return std::string("x");});
  printf("%d %s\n",a,c.c_str());
}
